import { spawnSync } from 'node:child_process';
import type { World } from '../test/harness/world.ts';

export interface Took {
  processorMs: number;
  wallMs: number;
}

/**
 * Measures a command with bash's own `time`, which asks the kernel. It is exact to a millisecond, unlike /proc.
 * @param mayFail true for a command that is meant to fail; a command that fails by mistake would seem fast
 */
export function timeCommand(
  world: Pick<World, 'env' | 'projectDir'>,
  command: readonly string[],
  mayFail = false,
): Took {
  const script = 'TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>&3; } 3>/dev/null';
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...command], {
    env: world.env,
    cwd: world.projectDir,
    encoding: 'utf8',
  });
  if (status !== 0 && !mayFail) throw new Error(`${command.join(' ')} ended with ${status}`);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return { wallMs: wall * 1_000, processorMs: (user + system) * 1_000 };
}
