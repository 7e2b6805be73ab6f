import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import type { Answer, Question } from '../../src/protocol/index.ts';
import { replyWith, runs, sceneOf } from '../harness/answering.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

const DONE = replyWith({ kind: 'text', text: 'Done.' });

/** Runs the same command twice, one call after the other. */
function choose(prompt: string): Scene | null {
  const mark = /twice:(\w+)/.exec(prompt)?.[1];
  if (mark === undefined) return null;
  const once = replyWith(runs(`echo ran >> ../ran-${mark}`));
  return sceneOf(mark, once, once, DONE);
}

let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
let slug: string;
let held: string;

/** Holds back what the hooks of a dialog report, as a busy server that has not read it yet. */
beforeAll(async () => {
  world = await claudeWorld({ choosers: [choose] });
  held = join(world.dir, 'held');
  const bin = join(world.dir, 'holds');
  for (const folder of [held, bin]) mkdirSync(folder);
  const isHeld = `[ -e '${held}/.on' ]&&grep -Eq '"hook_event_name": ?"(PreToolUse|PermissionRequest)"' "$1"`;
  const hold = `{ echo "\${2%/*}" >'${held}/.spool';exec /bin/mv "$1" "${held}/\${2##*/}";}`;
  writeFileSync(join(bin, 'mv'), `#!/bin/sh\n${isHeld}&&${hold}\nexec /bin/mv "$@"\n`, { mode: 0o755 });
  world = { ...world, env: { ...world.env, PATH: `${bin}:${world.env.PATH}` } };
  cbos = await startCbos(world);
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
beforeEach(async () => {
  ({ slug } = await spares.take());
  writeFileSync(join(held, '.on'), '');
});
afterEach(() => {
  if (existsSync(join(held, '.on'))) report();
  spares.giveBack();
});

const heldReports = (): string[] => readdirSync(held).filter((name) => name.endsWith('.json'));

/** Lets the server read what the hooks have reported, and report at once from now on. */
function report(): void {
  rmSync(join(held, '.on'));
  for (const name of heldReports().sort()) {
    renameSync(join(held, name), join(readFileSync(join(held, '.spool'), 'utf8').trim(), name));
  }
}

const untilAsked = async (what: string, isMeant: (question: Question) => boolean): Promise<Question> => {
  const { status } = await cbos.until(
    slug,
    (one) => one.status.question !== null && isMeant(one.status.question),
    what,
  );
  if (status.question === null) throw new Error('a question was waited for');
  return status.question;
};

const answer = (body: Answer) => cbos.call('POST', `/sessions/${slug}/answer`, body);

async function untilRun(mark: string, times: number): Promise<void> {
  const file = join(world.dir, `ran-${mark}`);
  const ran = (): number => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0);
  await waitFor(() => ran() === times, { describe: `${mark} ran ${times} times`, actual: ran });
}

/** Sends a prompt whose dialog CBOS sees on the screen only. */
async function askUnreported(mark: string): Promise<Question> {
  expect((await cbos.call('POST', `/sessions/${slug}/send`, { text: `twice:${mark}` })).error).toBeNull();
  const seen = await untilAsked('asks on the screen', ({ options }) => options.length > 0);
  await waitFor(() => heldReports().length === 2, { describe: 'both hooks of the dialog ran', actual: heldReports });
  expect(seen.tool).toBeNull();
  return seen;
}

test('a dialog keeps the id under which it was shown before its hook reported, and an answer reaches no other dialog', async () => {
  const seen = await askUnreported('kept');
  report();
  const named = await untilAsked('asks by its hook', ({ tool }) => tool !== null);
  expect(named.id).toBe(seen.id);
  expect((await answer({ choice: 'yes', question_id: seen.id })).error).toBeNull();
  const next = await untilAsked('asks again', ({ id, text }) => id !== seen.id && text === seen.text);
  expect((await answer({ choice: 'yes', question_id: seen.id })).error).toMatchObject({ code: 'stale_question' });
  await untilRun('kept', 1);
  expect((await answer({ choice: 'yes', question_id: next.id })).error).toBeNull();
  await untilRun('kept', 2);
  await cbos.untilStatus(slug, 'idle/waiting_input');
});

test('an answer that is given before the hook has reported reaches the dialog', async () => {
  const seen = await askUnreported('early');
  const given = answer({ choice: 'no', question_id: seen.id });
  report();
  expect((await given).error).toBeNull();
  await cbos.until(slug, ({ status }) => status.question === null, 'asks nothing more');
});

test('a dialog keeps its id if the server is killed, and its hook reports before the next one starts', async () => {
  const seen = await askUnreported('killed');
  await cbos.stop('SIGKILL');
  report();
  cbos = await startCbos(world);
  const named = await untilAsked('asks by its hook', ({ tool }) => tool !== null);
  expect(named.text).toBe(seen.text);
  expect((await answer({ choice: 'yes', question_id: seen.id })).error).toBeNull();
  await untilRun('killed', 1);
  const next = await untilAsked('asks again', ({ id }) => id !== named.id && id !== seen.id);
  await cbos.stop();
  cbos = await startCbos(world);
  expect((await answer({ choice: 'no', question_id: seen.id })).error).toMatchObject({ code: 'stale_question' });
  expect((await answer({ choice: 'no', question_id: next.id })).error).toBeNull();
});
