import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.mjs';
import type { Session } from '../../src/protocol/index.ts';
import { PROGRAM, runCbos } from '../harness/cbos.ts';
import { pinnedClaude, STAND_IN } from '../harness/claude.ts';
import { call } from '../harness/faces.ts';
import { commandsOf, stepsOf } from '../harness/get-started.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** Starts a demo without a terminal, as a script does. */
async function startDemo(claude: string) {
  const demo = spawn(process.execPath, [PROGRAM, 'demo'], {
    env: { ...world.env, TMPDIR: world.temporary, CBOS_CLAUDE_COMMAND: claude },
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
  // Uses the socket, because one run of the command line takes as much processor time as a hundred requests.
  const list = async (): Promise<Session[]> =>
    (await call({ socketPath: join(home, 'cbos.sock') }, '/sessions')).json() as Session[];
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
  return { home, list, kill, pids, said: () => said };
}

describe('cbos demo', () => {
  test('runs five real sessions that can be answered from another terminal, ends those of an earlier demo that was killed but not those of a running one, and leaves nothing behind after SIGINT or SIGHUP', async () => {
    // Of the demos before and beside it, only the processes matter.
    const first = await startDemo(STAND_IN);
    await first.kill('SIGKILL');
    expect(first.pids.filter(isAlive), 'what it has left').toEqual(first.pids);

    const second = await startDemo(pinnedClaude());
    expect(second.said()).toContain('An earlier demo was killed; its sessions are now ended.');
    expect(readdirSync(world.temporary)).toHaveLength(1);
    expect(first.pids.filter(isAlive)).toEqual([]);
    const asking = { DEPLOY: 'permission', NOTES: 'permission', ACCOUNTS: 'question' };
    await waitFor(
      async () => {
        const sessions = await second.list();
        const detailOf = (slug: string) => sessions.find((one) => one.slug === slug)?.status.detail;
        return Object.entries(asking).every(([slug, detail]) => detailOf(slug) === detail);
      },
      { describe: 'two ask for a permission and one asks a question', timeoutMs: 40_000, actual: second.said },
    );
    const elsewhere = { env: { CBOS_HOME: second.home } };
    const listed = JSON.parse((await runCbos(world, ['ls', '--json'], elsewhere)).stdout) as Session[];
    expect(listed.map(({ type }) => type)).toEqual(['screen', 'screen', 'screen', 'screen', 'json']);
    // The commands of docs/get-started.md, word for word.
    const [start = '', ...typed] = commandsOf('Use a shell instead');
    expect(start).toBe('cbos demo --lines');
    expect(typed).toContain('cbos answer DEPLOY yes');
    for (const line of [...typed, 'cbos answer NOTES yes']) {
      const [program, ...words] = line.split(' ');
      expect(program).toBe('cbos');
      const { code, stderr } = await runCbos(world, words, elsewhere);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    }
    await waitFor(
      async () =>
        (await second.list()).filter(({ slug, state }) => /DEPLOY|NOTES/.test(slug) && state === 'waiting').length ===
        2,
      { describe: 'the deployment and the notes end', timeoutMs: 20_000 },
    );

    const third = await startDemo(STAND_IN);
    expect(third.said()).not.toContain('An earlier demo');
    expect((await second.list()).filter(({ state }) => state === 'dead')).toEqual([]);
    await second.kill('SIGINT');
    expect(readdirSync(world.temporary)).toHaveLength(1);
    expect(second.pids.filter(isAlive)).toEqual([]);
    expect(third.pids.filter(isAlive)).toEqual(third.pids);
    await third.kill('SIGHUP');
    expect(readdirSync(world.temporary)).toEqual([]);
    expect(world.processes()).toEqual([]);
  }, 240_000);

  test('on a terminal, after the first steps of the documentation, it opens the terminal UI, gives a tour, and leaves nothing behind when the person leaves', async () => {
    const steps = stepsOf('Your first answer');
    expect(steps.length).toBeLessThanOrEqual(10);
    const [start, leave, link, demo, question, permission] = steps;
    expect(start?.commands).toEqual(['npm start']);
    // npm links and caches only inside the world, and contacts no registry.
    const npm = join(world.dir, 'npm');
    const env = {
      ...{ TMPDIR: world.temporary, CBOS_CLAUDE_COMMAND: pinnedClaude(), PATH: `${npm}/bin:${world.env.PATH}` },
      ...{ NPM_CONFIG_PREFIX: npm, NPM_CONFIG_CACHE: join(npm, 'cache'), NPM_CONFIG_OFFLINE: 'true' },
    };
    const first = await openTerminal(world, { program: ['npm', 'start'], env, cwd: ROOT, cols: 120, rows: 40 });
    await first.until(/q quit|q leave|\? keys|\? help/, 'the terminal UI');
    await first.keys(...(leave?.keys ?? []));
    expect(await first.ended()).toBe(0);
    expect((await runCbos(world, ['down'])).code).toBe(0);
    expect(link?.commands).toEqual(['npm link']);
    const linked = spawnSync('npm', ['link'], { cwd: ROOT, env: { ...world.env, ...env }, encoding: 'utf8' });
    expect(linked.status, linked.stderr).toBe(0);
    expect(readdirSync(join(npm, 'share', 'man', 'man1'))).toContain('cbos.1');
    expect(demo?.commands).toEqual(['cbos demo']);
    const terminal = await openTerminal(world, { program: ['cbos', 'demo'], env, cols: 120, rows: 40 });
    await terminal.until(/press 1 to answer it[\s\S]*1-\d choose/, 'the first question of the tour, and its keys');
    await terminal.keys(...(question?.keys ?? []));
    await terminal.until(/deploy\.sh nowhere/, 'its permission');
    await terminal.until(/y yes/, 'the key that gives it');
    expect(permission?.keys).toEqual(['y']);
    await terminal.keys('y');
    await terminal.until(/come back, and press 1/, 'its last question');
    await terminal.until(/1-\d choose/, 'the keys that answer it');
    await terminal.keys('1');
    await terminal.until(/shows the same in the browser/, 'the end of the tour');
    await terminal.keys('q');
    expect(await terminal.ended()).toBe(0);
    expect(readdirSync(world.temporary)).toEqual([]);
  }, 90_000);
});
