import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply, Scene } from '../../src/demo/scenes/scene.ts';
import type { AuditEntry, RuleBook } from '../../src/protocol/index.ts';
import { ALLOWED, COVERED } from '../core/approval/covered.ts';
import { replyWith, runs, sceneOf, startAnswering, toolResults } from '../harness/answering.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';
import type { TypedKeys } from '../harness/typed-keys.ts';
import { waitFor } from '../harness/wait-for.ts';

/** How many times the server is killed around a decision. `CBOS_KILLS` sets another number. */
const KILLS = Number(process.env.CBOS_KILLS ?? 2);
const DONE = replyWith({ kind: 'text', text: 'Done.' });
/** One covered command in this many is tried, without the slow ones. `CBOS_COVERED=1` tries all of them. */
const EACH = Number(process.env.CBOS_COVERED ?? 4);
const TRIED = COVERED.filter((text) => !/npm|cargo|rg|src\/shop/.test(text)).filter((_, index) => index % EACH === 0);
/** Long enough to kill the server before the tool is called. */
const LATER_MS = 3_000;

/** Chooses a command that records each run: `sh ./count.sh MARK`. */
function choose(prompt: string): Scene | null {
  if (prompt.includes('covered')) return sceneOf('covered', replyWith(...TRIED.map(runs)), DONE);
  const [, how, mark] = /(run|later):(\w+)/.exec(prompt) ?? [];
  if (mark === undefined) return null;
  const call = replyWith(runs(`sh ./count.sh ${mark}`));
  return sceneOf(mark, how === 'later' ? later(call) : call, DONE);
}

const later = (reply: Reply): Reply => (reply.kind === 'answer' ? { ...reply, firstByteDelayMs: LATER_MS } : reply);

const ALLOW = '[[allow]]\ncommand = "sh ./count.sh *"\n';
const DENY = '[[deny]]\ncommand = "sh ./count.sh denied"\nnote = "Count with abacus instead."\n';
const SLUG = 'RULED';

let world: ClaudeWorld;
let typed: TypedKeys;
let cbos: Cbos;
let slow: string;

beforeAll(async () => {
  ({ world, typed, cbos } = await startAnswering({ choosers: [choose] }));
  writeFileSync(join(world.projectDir, 'count.sh'), 'echo ran >> "../ran-$1"\n');
  // The place at which a hook waits is created late, by the number of seconds in the file `late`.
  slow = join(world.dir, 'slow');
  mkdirSync(slow);
  const late = `#!/bin/sh\n[ -e ${slow}/late ]&&sleep "$(cat ${slow}/late)"\nexec /usr/bin/mkfifo "$@"\n`;
  writeFileSync(join(slow, 'mkfifo'), late, { mode: 0o755 });
  const env = { PATH: `${slow}:${world.env.PATH}` };
  const body = { slug: SLUG, type: 'screen', path: world.projectDir, env };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus(SLUG, 'idle/ready');
}, 90_000);
afterAll(() => world.dispose());

const rules = (text: string): void => writeFileSync(join(world.cbosHome, 'rules.toml'), text);
const send = (text: string) => cbos.call('POST', `/sessions/${SLUG}/send`, { text });
const audit = async (): Promise<AuditEntry[]> => (await cbos.call<AuditEntry[]>('GET', '/audit')).body;
const timesRun = (mark: string): number => {
  const file = join(world.dir, `ran-${mark}`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};
const untilDone = (mark: string, times: number) =>
  cbos.until(
    SLUG,
    ({ status }) => status.primary === 'idle' && timesRun(mark) === times,
    `is done, with ${times} of ${mark}`,
  );
/** Returns the answers that the home has recorded for suggestions. */
function keptAnswers(): [said: string, command: string][] {
  const database = new DatabaseSync(join(world.cbosHome, 'cbos.db'), { readOnly: true });
  try {
    const rows = database.prepare("SELECT said, input ->> 'command' AS command FROM answers ORDER BY id").all();
    return rows.map((row) => [String(row.said), String(row.command)]);
  } finally {
    database.close();
  }
}
/** Answers the open question as a person does. */
async function answerOpen(choice: 'yes' | 'no'): Promise<void> {
  const { status } = await cbos.until(SLUG, (one) => one.status.question !== null, 'asks');
  const { error } = await cbos.call('POST', `/sessions/${SLUG}/answer`, { choice, question_id: status.question?.id });
  expect(error).toBeNull();
}

describe('a session in a terminal', () => {
  test('runs what a rule allows, and the audit has all of it', async () => {
    rules(ALLOW);
    await send('run:allowed');
    await untilDone('allowed', 1);
    await waitFor(async () => (await audit())[0]?.outcome === 'given', {
      describe: 'the audit records the outcome',
    });
    expect(await audit()).toMatchObject([
      {
        ...{ session: SLUG, decision: 'allow', tool: 'Bash', offset: expect.any(Number), seq: null },
        input: { command: 'sh ./count.sh allowed', description: 'Do it' },
        rules: [{ origin: 'home', command: ['sh ./count.sh *'] }],
      },
    ]);
    const told = await cbos.cli(['audit', SLUG]);
    expect(told.stdout).toContain('sh ./count.sh allowed');
  });

  test('is refused what a rule denies, with its note, and the turn continues', async () => {
    rules(ALLOW + DENY);
    await send('run:denied');
    await waitFor(() => toolResults(world, 'run:denied').length === 1, {
      describe: 'the model is informed',
      timeoutMs: 30_000,
    });
    expect(toolResults(world, 'run:denied')[0]).toContain('Count with abacus instead.');
    await untilDone('denied', 0);
    expect(await audit()).toMatchObject([{}, { decision: 'deny', input: { command: 'sh ./count.sh denied' } }]);
  });

  test('asks a person as soon as the file of rules is broken, which the doctor and `cbos rules` report', async () => {
    rules(`${ALLOW}[[deny]\n`);
    await send('run:broken');
    await answerOpen('yes');
    await untilDone('broken', 1);
    expect(await audit()).toHaveLength(2);
    expect(keptAnswers()).toEqual([['yes', 'sh ./count.sh broken']]);
    const { body } = await cbos.call<RuleBook>('GET', '/rules');
    expect(body).toMatchObject({ rules: [], files: [{ state: 'broken', error: expect.stringContaining('line 3') }] });
    expect((await cbos.cli(['rules'])).stderr).toContain('line 3');
    expect((await cbos.cli(['doctor'])).stdout).toMatch(/Approval rules.*line 3/);
  });

  test('whose hook is 5 s late is then answered by the rule, once', async () => {
    rules(ALLOW);
    writeFileSync(join(slow, 'late'), '5');
    await send('run:late');
    await untilDone('late', 1);
    rmSync(join(slow, 'late'));
    await send('run:after');
    await untilDone('after', 1);
    expect(timesRun('late')).toBe(1);
    const about = (await audit()).filter(({ input }) => JSON.stringify(input).includes('late'));
    expect(about).toMatchObject([{ decision: 'allow', outcome: 'given' }]);
  });

  test('asks while no server runs; the next one decides it, once', async () => {
    rules(ALLOW);
    await send('later:down');
    await cbos.stop('SIGKILL');
    const hooks = join(world.cbosHome, 'hooks');
    const asked = (): boolean =>
      readdirSync(hooks).some(
        (name) =>
          name.endsWith('.json') &&
          !name.startsWith('.') &&
          readFileSync(join(hooks, name), 'utf8').includes('"PermissionRequest"'),
      );
    await waitFor(asked, { describe: 'Claude Code asks', timeoutMs: 30_000 });
    expect(timesRun('down')).toBe(0);
    cbos = await startCbos(world, typed.env);
    await untilDone('down', 1);
    expect((await audit()).filter(({ input }) => JSON.stringify(input).includes('down'))).toHaveLength(1);
  });

  test('whose server is killed around the decision is answered once, or asks', {
    timeout: 60_000 + KILLS * 30_000,
  }, async () => {
    rules(ALLOW);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const mark = `killed${kill}`;
      await send(`run:${mark}`);
      await waitFor(async () => (await cbos.session(SLUG)).status.detail !== 'thinking' || timesRun(mark) > 0, {
        describe: 'the call is on its way',
        timeoutMs: 30_000,
      });
      await delay((kill * 23) % 80);
      await cbos.stop('SIGKILL');
      cbos = await startCbos(world, typed.env);
      const isOver = (): boolean => timesRun(mark) > 0;
      await cbos.until(SLUG, ({ status }) => status.question !== null || isOver(), 'asks, or was answered');
      if (!isOver() && (await cbos.session(SLUG)).status.question !== null) {
        await cbos.call('POST', `/sessions/${SLUG}/answer`, { choice: 'yes' });
      }
      await untilDone(mark, 1);
    }
  });
});

test('a JSON session runs what a rule allows, and is refused what one denies', async () => {
  rules(ALLOW + DENY);
  const json = jsonSessions(world, () => cbos);
  await json.create('JSON', { permission_mode: 'default' });
  const untilComplete = () => cbos.until('JSON', ({ json_state }) => json_state === 'complete', 'is complete');
  await json.invoke('JSON', 'run:json');
  await waitFor(() => timesRun('json') === 1, { describe: 'it ran', timeoutMs: 30_000 });
  await untilComplete();
  rmSync(join(world.dir, 'ran-denied'), { force: true });
  await json.invoke('JSON', 'run:denied please');
  await waitFor(() => toolResults(world, 'run:denied please').length === 1, {
    describe: 'the model is informed',
    timeoutMs: 30_000,
  });
  await untilComplete();
  expect([timesRun('json'), timesRun('denied')]).toEqual([1, 0]);
  expect((await audit()).slice(-2)).toMatchObject([
    { session: 'JSON', decision: 'allow', outcome: 'given', seq: expect.any(Number), offset: null },
    { session: 'JSON', decision: 'deny', outcome: 'given' },
  ]);
});

test('calls that rules cover are answered by them, and no question is reported', async () => {
  rules(`[[allow]]\ncommand = ${JSON.stringify(ALLOWED)}\n`);
  const json = jsonSessions(world, () => cbos);
  await json.create('COVERED', { permission_mode: 'default' });
  const watcher = await cbos.watch();
  await json.invoke('COVERED', 'covered');
  await cbos.until('COVERED', ({ json_state }) => json_state === 'complete', 'is complete', 90_000);
  expect(toolResults(world, 'covered')).toHaveLength(TRIED.length);
  const asked = (await json.events('COVERED')).filter(({ event }) => event.type === 'control_request');
  const answered = (await audit()).filter(({ session }) => session === 'COVERED');
  expect(asked.length).toBeGreaterThan(2);
  expect(answered.map(({ decision, outcome }) => `${decision} ${outcome}`)).toEqual(asked.map(() => 'allow given'));
  expect(watcher.statuses('COVERED').filter((status) => status.startsWith('waiting'))).toEqual([]);
  watcher.close();
});
