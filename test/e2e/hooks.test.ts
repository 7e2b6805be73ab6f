import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos, type Watcher } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Every status must last at least this long, whatever happens to the hooks. */
const SHORTEST_MS = 300;
/** By this time the screen alone must have led to a status, even if other tests slow Claude Code down. */
const LATE_MS = 5_000;

let world: ClaudeWorld;
let cbos: Cbos;
let watcher: Watcher;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  watcher = await cbos.watch();
});
afterAll(() => world.dispose());

/** Starts a session whose hooks find these programs before the system's. */
async function launch(slug: string, programs: Readonly<Record<string, string>>): Promise<void> {
  const bin = join(world.dir, `bin-${slug}`);
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const created = await cbos.call('POST', '/sessions', {
    slug,
    type: 'screen',
    path: world.projectDir,
    env: { PATH: `${bin}:${world.env.PATH}` },
  });
  expect(created.error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
}

const type = (slug: string, keys: string) => cbos.call('POST', `/sessions/${slug}/keys`, { keys });

/** Types the prompt as at the terminal, because a `send` would itself ask for the status. */
async function prompt(slug: string, text: string): Promise<void> {
  await type(slug, text);
  await cbos.until(slug, ({ buffer_tail }) => buffer_tail?.includes(text) === true, 'shows the text');
  await type(slug, '\r');
}

/** Returns the statuses that a client received, with the time of each and its reason. */
const statusesOf = (slug: string) =>
  watcher.frames.flatMap((frame) =>
    frame.type === 'session_state' && frame.session === slug && frame.status.primary !== null
      ? [{ at: frame.receivedAt, word: frame.status.primary, because: frame.status.because }]
      : [],
  );

/**
 * Returns the primaries that a client received since the first turn, without repetitions, and those that lasted only
 * for a moment. The list of sessions may be the only frame that tells that a new session is idle.
 */
function wayOf(slug: string): { way: string; moments: string[] } {
  const told = statusesOf(slug);
  const turns = told.slice(told.findIndex(({ word }) => word !== 'idle'));
  const changes = turns.filter(({ word }, index) => word !== turns[index - 1]?.word);
  const moments = changes.flatMap(({ at, word }, index) => {
    const next = changes[index + 1];
    return next !== undefined && next.at - at < SHORTEST_MS ? [`${word} for ${next.at - at} ms`] : [];
  });
  return { way: changes.map(({ word }) => word).join(' '), moments };
}

/** Explains each status, for a failed expectation. */
const reasonsOf = (slug: string): string =>
  statusesOf(slug)
    .map(({ at, word, because: { rule, evidence } }) => `${at} ${word}: ${rule} (${evidence})`)
    .join('\n');

test.concurrent.each([
  ['twice', 'TWICE', { mv: '/bin/cp "$1" "$1.2" && /bin/mv "$1.2" "$' + '{2%.json}2.json"; exec /bin/mv "$1" "$2"' }],
  ['a second late', 'LATE', { mv: '(sleep 1; exec /bin/mv "$1" "$2") >/dev/null 2>&1 &' }],
  ['never, because the spool cannot be written', 'NEVER', { cat: 'exit 1' }],
])('the status stays right if hooks come %s', { timeout: 90_000 }, async (_, slug, programs) => {
  await launch(slug, programs);
  await prompt(slug, `${slug} scene:permission`);
  await cbos.until(slug, ({ status }) => status.question?.options.length === 3, 'asks');
  // An answer ends the status at once. A person takes longer than a test, so the test waits.
  await delay(SHORTEST_MS);
  // The hook may report the dialog in the same moment. The question is then a different one.
  const answer = async () =>
    (await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' })).error?.code ?? 'answered';
  const codes: string[] = [];
  const isTaken = async (): Promise<boolean> => {
    codes.push(await answer());
    return codes.at(-1) !== 'stale_question';
  };
  await waitFor(isTaken, { describe: 'the answer is taken' });
  expect(codes.at(-1)).toBe('answered');
  await cbos.untilStatus(slug, 'idle/waiting_input');
  expect(wayOf(slug), reasonsOf(slug)).toEqual({ way: 'active waiting active idle', moments: [] });
});

test.concurrent('a turn runs while the hook of its prompt hangs, until Claude Code ends that hook, and while the hook of its end hangs', {
  timeout: 90_000,
}, async () => {
  const hold = join(world.dir, 'hold');
  await launch('HANGS', { cat: `while [ -e '${hold}' ]; do sleep 0.05; done; exec /bin/cat "$@"` });
  const screen = async (): Promise<string> =>
    (await cbos.call<{ buffer: string }>('GET', '/sessions/HANGS/buffer?lines=45')).body.buffer;

  writeFileSync(hold, '');
  await prompt('HANGS', 'HANGS scene:hello');
  const runs = await cbos.until('HANGS', ({ status }) => status.primary === 'active', 'runs', LATE_MS);
  // No hook can report the turn: Claude Code waits for this hook, so there is no request to the model and no payload.
  expect(world.promptsReceived()).not.toContain('HANGS scene:hello');
  expect(runs.status.because.source).not.toBe('hook');
  // Claude Code ends the hook after ten seconds and continues without it.
  await waitFor(() => world.promptsReceived().includes('HANGS scene:hello'), {
    describe: 'Claude Code continues without the hook',
    timeoutMs: 30_000,
  });
  expect((await cbos.session('HANGS')).status.primary).toBe('active');
  // The hook at the end of the turn hangs too. The answer is complete, but Claude Code is still busy.
  await waitFor(async () => (await screen()).includes('ready when you are'), { describe: 'it has answered' });
  rmSync(hold);
  await cbos.untilStatus('HANGS', 'idle/waiting_input');
  expect(wayOf('HANGS'), reasonsOf('HANGS')).toEqual({ way: 'active idle', moments: [] });
});
