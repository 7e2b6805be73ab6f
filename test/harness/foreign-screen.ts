import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ClaudeWorld } from './claude.ts';

/** Starts a Screen session as a person would, without CBOS. */
export async function startForeign(
  world: ClaudeWorld,
  name: string,
  command: readonly string[] = [world.claude],
): Promise<void> {
  const screen = spawn('screen', ['-U', '-dmS', name, ...command], {
    env: world.env,
    cwd: world.projectDir,
    stdio: 'ignore',
  });
  await once(screen, 'exit');
}
