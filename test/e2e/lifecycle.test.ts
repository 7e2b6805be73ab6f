import { existsSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { prepareIsolatedHome } from '../../src/demo/isolated-home.ts';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Session, StatusChange } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

/** All tests share one world. A session that one test leaves is taken by the next test, or ended. */
let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
let slugs = 0;
/** A turn that takes a while, and that starts a background shell early on. */
const chooseBackground: ChooseScene = (prompt) =>
  prompt.includes('scene:background')
    ? {
        name: 'background',
        about: 'work in the background, and a turn that continues at the same time',
        replies: [
          {
            kind: 'answer',
            blocks: [{ kind: 'tool', name: 'Bash', input: { command: 'sleep 300', run_in_background: true } }],
          },
          { kind: 'answer', firstByteDelayMs: 6_000, blocks: [{ kind: 'text', text: 'It runs.' }] },
        ],
      }
    : null;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', choosers: [chooseBackground] });
  cbos = await startCbos(world);
  spares = spareSessions({ world, cbos: () => cbos });
});
afterEach(async () => {
  spares.giveBack();
  for (const { slug, state } of (await cbos.call<Session[]>('GET', '/sessions')).body) {
    if (state === 'dead' || !slug.startsWith('SPARE-')) await cbos.call('DELETE', `/sessions/${slug}`);
  }
});
afterAll(() => world.dispose());

async function launch(slug: string, prompt?: string): Promise<Session> {
  const created = await cbos.call<Session>('POST', '/sessions', {
    slug,
    type: 'screen',
    path: world.projectDir,
    ...(prompt === undefined ? {} : { prompt }),
  });
  if (created.error !== null) throw new Error(`${created.error.code}: ${created.error.message}`);
  return prompt === undefined ? cbos.untilStatus(slug, 'idle/ready') : cbos.untilStatus(slug, 'idle/waiting_input');
}

/** Returns all processes of the world except the server. */
function sessionProcesses(): number[] {
  return world
    .processes()
    .map((one) => one.pid)
    .filter((pid) => pid !== cbos.pid);
}

/** Returns a new name, because an earlier attempt of a test may have left recordings under the old one. */
function newSlug(name: string): string {
  slugs += 1;
  return `${name}-${slugs}`;
}

const recordingsOf = (slug: string): string[] =>
  readdirSync(world.streamDir)
    .filter((name) => name.startsWith(`${slug}.`))
    .sort();

describe('the end of a session', () => {
  test('by /exit is shown as dead; the session stays listed with its recording', async () => {
    await launch('EXIT');
    const sent = await cbos.cli(['send', 'EXIT', '/exit', '--command']);
    expect(sent.code).toBe(0);
    const dead = await cbos.until('EXIT', (one) => one.state === 'dead', 'is dead');
    expect(dead).toMatchObject({
      pid: null,
      attached: null,
      status: { primary: 'dead', detail: null, health: 'DEAD' },
    });
    await waitFor(() => sessionProcesses().length === 0, {
      describe: 'all processes are gone',
      actual: sessionProcesses,
    });
    const buffer = await cbos.call<{ buffer: string }>('GET', '/sessions/EXIT/buffer?lines=200');
    expect(buffer.body.buffer).toContain('/exit');
    expect((await cbos.call('POST', '/sessions/EXIT/send', { text: 'hi' })).error?.code).toBe('not_accepting_text');
  });

  test('by SIGKILL of Claude Code is shown as dead', async () => {
    const session = await launch('CRASH');
    process.kill(session.pid ?? 0, 'SIGKILL');
    const dead = await cbos.until('CRASH', (one) => one.state === 'dead', 'is dead');
    expect(dead.status.because.source).toBe('process');
  });

  test.each(['Screen lives', "Screen's daemon was killed first"])(
    'by kill leaves no process behind when %s',
    async (situation) => {
      await launch('KILL', 'scene:hello');
      const session = await cbos.session('KILL');
      if (situation !== 'Screen lives') process.kill(Number(session.screen_id?.split('.')[0]), 'SIGKILL');
      const killed = await cbos.cli(['kill', 'KILL']);
      // The server notices a killed daemon and cleans up automatically, so the session may be dead already.
      expect([0, 4]).toContain(killed.code);
      await cbos.until('KILL', (one) => one.state === 'dead', 'is dead');
      await waitFor(() => sessionProcesses().length === 0, {
        describe: 'all processes are gone',
        actual: sessionProcesses,
      });
      await waitFor(() => readdirSync(world.screenDir).length === 0, { describe: "Screen's socket is gone" });
    },
  );

  test('by rm removes it from the list; its slug is free again and its recording is kept', async () => {
    const slug = newSlug('AGAIN');
    await launch(slug);
    expect((await cbos.call('DELETE', `/sessions/${slug}`)).body).toEqual({ status: 'deleted' });
    expect((await cbos.call('GET', `/sessions/${slug}`)).error?.code).toBe('no_such_session');
    expect(sessionProcesses()).toEqual([]);
    await launch(slug);
    const endings = ['.1.cbos', '.1.timing', '.1.typescript', '.cbos', '.timing', '.typescript'];
    expect(recordingsOf(slug)).toEqual(endings.map((ending) => `${slug}${ending}`));
    expect(statSync(join(world.streamDir, `${slug}.typescript`)).mode & 0o777).toBe(0o600);
  });
});

describe('the socket of a session', () => {
  test('notices that a socket vanished although Screen is alive, and does not call the session dead', async () => {
    const session = await launch('SOCKET');
    unlinkSync(join(world.screenDir, session.screen_id ?? ''));
    await waitFor(async () => (await cbos.session('SOCKET')).status.primary === 'idle', {
      describe: 'it is still idle',
    });
    await cbos.cli(['kill', 'SOCKET']);
    expect(sessionProcesses()).toEqual([]);
  });
});

describe('the server alone', () => {
  test('refuses to run twice on one home, and reports it in one line', async () => {
    const second = await cbos.cli(['serve'], { env: { CBOS_PORT: String(await world.freePort()) } });
    expect(second.code).toBe(1);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
    expect(second.stderr).toMatch(/already/);
    expect((await cbos.call('GET', '/health')).status).toBe(200);
  });

  test('recovers what a killed server left in its home', async () => {
    await cbos.stop('SIGKILL');
    expect(existsSync(join(world.cbosHome, 'cbos.sock'))).toBe(true);
    cbos = await startCbos(world);
    expect((await cbos.cli(['ls', '--json'])).stdout.trim()).toBe('[]');
  });
});

describe('a restart', () => {
  test('of a dead session continues its conversation', async () => {
    const slug = newSlug('RESUME');
    const before = await launch(slug, `scene:hello first of ${slug}`);
    await cbos.cli(['kill', slug]);
    const again = await cbos.cli(['restart', slug]);
    expect(again).toMatchObject({ code: 0 });
    const resumed = await cbos.until(slug, (one) => one.status.primary === 'idle', 'is idle');
    expect(resumed.claude_session_id).toBe(before.claude_session_id);
    expect(resumed.created_at).toBe(before.created_at);
    await cbos.call('POST', `/sessions/${slug}/send`, { text: `scene:hello second of ${slug}` });
    await waitFor(() => world.promptsReceived().includes(`scene:hello second of ${slug}`), {
      describe: 'the second prompt arrives',
    });
    const last = world.apiEvents.findLast((event) => event.kind === 'request');
    expect(JSON.stringify(last)).toContain(`scene:hello first of ${slug}`);
  });

  test('of a running session is refused', async () => {
    const { slug } = await spares.take();
    expect((await cbos.call('POST', `/sessions/${slug}/restart`)).error?.code).toBe('session_alive');
    expect((await cbos.cli(['restart', slug])).code).toBe(4);
  });
});

describe('a rename', () => {
  test('also renames the recording and the Screen session; the session continues', async () => {
    const [old, renamedTo] = [newSlug('OLD'), newSlug('NEW')];
    await launch(old);
    const renamed = await cbos.call<Session>('PATCH', `/sessions/${old}`, { slug: renamedTo });
    expect(renamed.body.slug).toBe(renamedTo);
    expect(renamed.body.screen_id).toMatch(new RegExp(`^\\d+\\.${renamedTo}$`));
    expect(recordingsOf(old)).toEqual([]);
    expect(recordingsOf(renamedTo)).toEqual(['.cbos', '.timing', '.typescript'].map((ending) => renamedTo + ending));
    await cbos.call('POST', `/sessions/${renamedTo}/send`, { text: 'scene:hello after' });
    await cbos.untilStatus(renamedTo, 'idle/waiting_input');
    const shown = () => cbos.call<{ buffer: string }>('GET', `/sessions/${renamedTo}/buffer`);
    await waitFor(async () => (await shown()).body.buffer.includes('ready when you are'), {
      describe: 'the recording under its new name shows the answer',
    });
  });

  test('to a name that is taken or not a slug is refused, and nothing changes', async () => {
    const [{ slug: one }, { slug: two }] = [await spares.take(), await spares.take()];
    expect((await cbos.call('PATCH', `/sessions/${one}`, { slug: two })).error?.code).toBe('slug_taken');
    expect((await cbos.call('PATCH', `/sessions/${one}`, { slug: '../x' })).error?.code).toBe('invalid_slug');
    expect((await cbos.cli(['rename', one, two])).code).toBe(4);
    expect((await cbos.call<Session[]>('GET', '/sessions')).body.map(({ slug }) => slug)).toEqual([one, two]);
  });
});

describe('the server', () => {
  test('killed with SIGKILL and started again has every session back with the right status, and the sessions notice nothing', async () => {
    const [fresh, gone] = [await spares.take(), await spares.take()];
    await launch('IDLE', 'scene:hello');
    await cbos.call('POST', '/sessions', {
      slug: 'ASKS',
      type: 'screen',
      path: world.projectDir,
      prompt: 'scene:permission',
    });
    const asks = await cbos.untilStatus('ASKS', 'waiting/permission');
    await cbos.cli(['kill', gone.slug]);
    await cbos.call('POST', '/sessions', {
      slug: 'MEANWHILE',
      type: 'screen',
      path: world.projectDir,
      prompt: 'scene:think',
    });
    await cbos.untilStatus('MEANWHILE', 'active/thinking');
    const before = await cbos.call<Session[]>('GET', '/sessions');

    await cbos.stop('SIGKILL');
    // The turn ends while no server runs, so its hook waits in the spool.
    await waitFor(() => readdirSync(join(world.cbosHome, 'hooks')).some((name) => name.endsWith('.json')), {
      describe: 'a hook waits in the spool',
    });
    cbos = await startCbos(world);
    await cbos.untilStatus('MEANWHILE', 'idle/waiting_input');
    const after = await cbos.call<Session[]>('GET', '/sessions');
    const shown = (sessions: Session[]) =>
      sessions.map(({ slug, pid, screen_id, claude_session_id, status: { primary, detail } }) => ({
        slug,
        pid,
        screen_id,
        claude_session_id,
        status: slug === 'MEANWHILE' ? 'changed' : `${primary}/${detail}`,
      }));
    expect(shown(after.body)).toEqual(shown(before.body));
    const asksAgain = await cbos.session('ASKS');
    expect(asksAgain.status.question).toMatchObject({ kind: 'permission', tool: asks.status.question?.tool });
    expect(asksAgain.status.since).toBe(asks.status.since);
    await cbos.call('POST', `/sessions/${fresh.slug}/send`, { text: 'scene:hello still here' });
    await cbos.untilStatus(fresh.slug, 'idle/waiting_input');
  });

  test('killed during a turn and after it knows both times that background work is not a turn', async () => {
    prepareIsolatedHome({ home: world.home, trusted: [world.projectDir], allow: ['Bash(sleep:*)'] });
    await cbos.call('POST', '/sessions', {
      slug: 'BACK',
      type: 'screen',
      path: world.projectDir,
      prompt: 'scene:background',
    });
    await waitFor(() => world.processes().some(({ command }) => command.includes('sleep 300')), {
      describe: 'the work in the background has begun',
    });
    await cbos.untilStatus('BACK', 'active/thinking');
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    expect(await cbos.session('BACK')).toMatchObject({ status: { primary: 'active' } });
    await cbos.untilStatus('BACK', 'idle/waiting_input');
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.untilStatus('BACK', 'idle/waiting_input');
    const { body: history } = await cbos.call<StatusChange[]>('GET', '/sessions/BACK/history');
    const words = history.map(({ primary }) => primary).filter((word) => word !== null);
    expect(words.filter((word, index) => word !== words[index - 1])).toEqual(['idle', 'active', 'idle']);
    expect(world.processes().some(({ command }) => command.includes('sleep 300'))).toBe(true);
  });
});
