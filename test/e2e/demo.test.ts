import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { PROGRAM, runCbos } from '../harness/cbos.ts';
import { pinnedClaude } from '../harness/claude.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

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

  test('ends the sessions of an earlier one that was killed, and those of one that runs go on', async () => {
    const env = { ...world.env, TMPDIR: world.temporary, CBOS_CLAUDE_COMMAND: pinnedClaude() };
    const start = async () => {
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
        timeoutMs: 40_000,
      });
      const list = async (): Promise<Session[]> =>
        JSON.parse((await runCbos(world, ['ls', '--json'], { env: { CBOS_HOME: home } })).stdout) as Session[];
      const isRunning = ({ pid }: Session): boolean => pid !== null;
      await waitFor(async () => (await list()).filter(isRunning).length >= 4, {
        describe: 'its sessions run',
        timeoutMs: 40_000,
      });
      const pids = (await list()).flatMap(({ pid }) => pid ?? []);
      world.onDispose(() => {
        for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
      });
      const kill = async (signal: NodeJS.Signals): Promise<void> => {
        const ended = once(demo, 'exit');
        demo.kill(signal);
        await ended;
      };
      return { list, kill, pids, said: () => said };
    };
    const first = await start();
    await first.kill('SIGKILL');
    expect(first.pids.filter(isAlive), 'what it has left').toEqual(first.pids);

    const second = await start();
    expect(second.said()).toContain('An earlier demo was killed: its sessions are ended now.');
    expect(readdirSync(world.temporary)).toHaveLength(1);
    expect(first.pids.filter(isAlive)).toEqual([]);

    const third = await start();
    expect(third.said()).not.toContain('An earlier demo');
    expect((await second.list()).filter(({ state }) => state === 'dead')).toEqual([]);
    for (const demo of [second, third]) await demo.kill('SIGINT');
    expect(readdirSync(world.temporary)).toEqual([]);
    expect([...second.pids, ...third.pids].filter(isAlive)).toEqual([]);
  }, 180_000);

  test('on a terminal it opens the terminal UI, leads round, and leaves nothing behind when the person leaves', async () => {
    const env = { TMPDIR: world.temporary, CBOS_CLAUDE_COMMAND: pinnedClaude() };
    const terminal = await openTerminal(world, { args: ['demo'], env, cols: 120, rows: 40 });
    await terminal.until(/press 1 to answer it[\s\S]*1-\d choose/, 'the first question of the tour, and its keys');
    await terminal.keys('1');
    await terminal.until(/deploy\.sh nowhere/, 'its permission');
    await terminal.until(/y yes/, 'the key that gives it');
    await terminal.keys('y');
    await terminal.until(/come back, and press 1/, 'its last question');
    await terminal.until(/1-\d choose/, 'the keys that answer it');
    await terminal.keys('1');
    await terminal.until(/has the same in the browser/, 'the end of the tour');
    await terminal.keys('q');
    expect(await terminal.ended()).toBe(0);
    expect(readdirSync(world.temporary)).toEqual([]);
  }, 90_000);
});
