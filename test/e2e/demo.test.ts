import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { PROGRAM, runCbos } from '../harness/cbos.ts';
import { pinnedClaude } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

describe('cbos demo', () => {
  test.each(['SIGINT', 'SIGHUP'] as const)(
    'runs five real sessions that can be answered from another terminal, and leaves nothing behind after %s',
    async (signal) => {
      const env = { ...world.env, TMPDIR: world.temporary, CBOS_CLAUDE_COMMAND: pinnedClaude() };
      const demo = spawn(process.execPath, [PROGRAM, 'demo'], {
        env,
        cwd: world.dir,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [demo.stdout, demo.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      const home = await waitFor(() => /export CBOS_HOME=(\S+)/.exec(said)?.[1], {
        describe: 'the demo says where it is',
        actual: () => said,
      });
      const elsewhere = { env: { CBOS_HOME: home } };
      const list = async (): Promise<Session[]> =>
        JSON.parse((await runCbos(world, ['ls', '--json'], elsewhere)).stdout) as Session[];
      const statusOf = (sessions: Session[], slug: string) => sessions.find((one) => one.slug === slug)?.status.detail;
      await waitFor(
        async () => {
          const sessions = await list();
          const asking = { DEPLOY: 'permission', NOTES: 'permission', ACCOUNTS: 'question' };
          return Object.entries(asking).every(([slug, detail]) => statusOf(sessions, slug) === detail);
        },
        { describe: 'one asks a permission and one a question', timeoutMs: 40_000, actual: () => said },
      );
      expect((await list()).map(({ type }) => type)).toEqual(['screen', 'screen', 'screen', 'screen', 'json']);
      for (const slug of ['DEPLOY', 'NOTES']) {
        expect((await runCbos(world, ['answer', slug, 'yes'], elsewhere)).code).toBe(0);
      }
      await waitFor(
        async () =>
          (await list()).filter(({ slug, state }) => /DEPLOY|NOTES/.test(slug) && state === 'waiting').length === 2,
        {
          describe: 'the deployment and the notes end',
          timeoutMs: 20_000,
        },
      );
      const ended = once(demo, 'exit');
      demo.kill(signal);
      await ended;
      expect(readdirSync(world.temporary)).toEqual([]);
      expect(world.processes()).toEqual([]);
    },
    90_000,
  );
});
