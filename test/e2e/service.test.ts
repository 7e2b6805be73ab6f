import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transcriptFile } from '../../src/platform/claude/own-files.ts';
import type { Session } from '../../src/protocol/index.ts';
import { runCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { canRunSystemd, startUserSystemd } from '../harness/user-systemd.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Long enough for a real systemd, server, Screen and Claude Code on a busy machine. */
const LONG_MS = 60_000;

test.skipIf(!canRunSystemd)(
  'the service starts with the login, and brings back what was running before the machine was restarted',
  async ({ skip }) => {
    await using world = await claudeWorld({ agent: 'stand-in' });
    const env = { ...world.env, XDG_RUNTIME_DIR: world.project('r') };
    const cbos = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCbos(world, args, { env });
      expect(code, `cbos ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout;
    };
    const session = async (): Promise<Session> => JSON.parse(await cbos('show', 'WORK', '--json')) as Session;
    const untilIdle = (describe: string): Promise<Session> =>
      waitFor(
        async () => {
          const one = await session();
          return one.status.primary === 'idle' && one.screen_id !== null ? one : null;
        },
        { describe, timeoutMs: LONG_MS },
      );
    const answers = () =>
      waitFor(async () => (await runCbos(world, ['ls'], { env })).code === 0, {
        describe: 'the service answers',
        timeoutMs: LONG_MS,
      });

    mkdirSync(world.cbosHome, { recursive: true, mode: 0o700 });
    writeFileSync(
      join(world.cbosHome, 'config.toml'),
      `port = ${await world.freePort()}\n[restore]\nat_start = true\n`,
    );
    const login = await startUserSystemd(world, env);
    if (login === null) return skip('systemd runs no services here');
    await cbos('service', 'install');
    await answers();
    await cbos('new', 'WORK', world.projectDir);
    const before = await untilIdle('WORK is ready');
    await cbos('send', 'WORK', 'scene:hello before the restart', '--wait');
    const transcript = transcriptFile({
      configDir: join(world.home, '.claude'),
      cwd: world.projectDir,
      sessionId: before.claude_session_id ?? '',
    });
    await waitFor(() => readFileSync(transcript, 'utf8').includes('"assistant"'), {
      describe: 'the conversation is saved',
    });

    await login.kill();
    await waitFor(
      () => {
        for (const { pid } of world.processes()) {
          try {
            process.kill(pid, 'SIGKILL');
          } catch {
            // The process has ended together with the previous one.
          }
        }
        return world.processes().length === 0;
      },
      { describe: 'nothing runs any more' },
    );
    expect(await startUserSystemd(world, env)).not.toBeNull();
    await answers();
    const after = await untilIdle('WORK is back');
    expect(after.claude_session_id).toBe(before.claude_session_id);
    expect(after.screen_id).not.toBe(before.screen_id);
    await cbos('send', 'WORK', 'scene:hello after the restart', '--wait');
    const asked = world.apiEvents.find(
      (event) => event.kind === 'request' && event.prompt === 'scene:hello after the restart',
    );
    expect(JSON.stringify(asked)).toContain('before the restart');
    expect(await cbos('service', 'status')).toMatch(/running/);
    await cbos('stop', 'WORK', '--yes');
    await cbos('service', 'uninstall');
  },
);
