import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Block, Scene } from '../../src/demo/scenes/scene.ts';
import { processNow } from '../../src/platform/process/index.ts';
import type { Answer, Question, Session } from '../../src/protocol/index.ts';
import { replyWith, runs, sceneOf, startAnswering, toolResults as toolResultsOf } from '../harness/answering.ts';
import { type ApiResult, type Cbos, startCbos } from '../harness/cbos.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { BOT_TOKEN, startTelegram } from '../harness/telegram-server.ts';
import type { TypedKeys } from '../harness/typed-keys.ts';
import { waitFor } from '../harness/wait-for.ts';

/** How many times each race runs. `CBOS_RACES=200 CBOS_KILLS=50` runs more. */
const RACES = Number(process.env.CBOS_RACES ?? 4);
const KILLS = Number(process.env.CBOS_KILLS ?? 2);
/** A race takes 3 s and a kill 4 s. On a loaded machine both take longer. */
const ROUND_MS = 20_000;

const agent = (prompt: string): Block => ({
  kind: 'tool',
  name: 'Agent',
  input: { description: prompt, prompt, subagent_type: 'general-purpose' },
});
const DONE = replyWith({ kind: 'text', text: 'Done.' });

/** Chooses a command that records each run, or two agents that ask at once. */
function choose(prompt: string): Scene | null {
  const mark = /run:(\w+)/.exec(prompt)?.[1];
  const then = mark === 'stopped' ? '; sleep 60' : '';
  if (mark !== undefined) return sceneOf(mark, replyWith(runs(`echo ran >> ../ran-${mark}${then}`)), DONE);
  const part = /part-(\w+)/.exec(prompt)?.[1];
  if (part !== undefined) return sceneOf(part, replyWith(runs(`echo ran >> ../ran-${part}`)), DONE);
  if (prompt.includes('scene:both')) return sceneOf('both', replyWith(agent('part-one'), agent('part-two')), DONE);
  return null;
}

let world: ClaudeWorld;
let cbos: Cbos;
let typed: TypedKeys;
let spares: SpareSessions;
let count = 0;
/** Part of every prompt of a test, to distinguish it from the prompts of other tests in the same session. */
let tag: string;
let slug: string;

beforeAll(async () => {
  ({ world, typed, cbos } = await startAnswering({ choosers: [choose] }));
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  tag = `T${count}`;
});
afterEach(() => spares.giveBack());

async function start(): Promise<void> {
  ({ slug } = await spares.take());
}

const send = (text: string) => cbos.call('POST', `/sessions/${slug}/send`, { text: `${tag} ${text}` });
const answer = (body: Answer): Promise<ApiResult<{ status: string }>> =>
  cbos.call('POST', `/sessions/${slug}/answer`, body);

async function opened(other?: Question): Promise<Question> {
  const { status } = await cbos.until(
    slug,
    (one) => one.status.question !== null && one.status.question.id !== other?.id,
    'asks',
  );
  if (status.question === null) throw new Error('a question was waited for');
  return status.question;
}

async function ask(text: string): Promise<Question> {
  expect((await send(text)).error).toBeNull();
  return opened();
}

/** Answers the question in front. While several dialogs are drawn, another question may come to the front first. */
async function answerFront(body: Answer, other?: Question): Promise<Question> {
  for (;;) {
    const question = await opened(other);
    const { error } = await answer({ ...body, question_id: question.id });
    if (error === null) return question;
    expect(['stale_question', 'no_question']).toContain(error.code);
  }
}

const toolResults = (): string[] => toolResultsOf(world, `${tag} `);

const untilDone = () =>
  cbos.until(
    slug,
    ({ status }) => status.primary === 'idle' || (status.primary === 'waiting' && status.question?.kind === 'closing'),
    'is done',
  );

const timesRun = (mark: string): number => {
  const file = join(world.dir, `ran-${mark}`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};

/** Returns the number of hooks that wait for a reply. Each has a second process, which is not counted. */
function waiting(): number {
  const found = world.processes().filter(({ command }) => command.includes('/fd/4'));
  const isBeside = (one: number): boolean => found.some(({ pid }) => pid === processNow(one)?.ppid);
  return found.filter(({ pid }) => !isBeside(pid)).length;
}

const untilNothingWaits = () =>
  waitFor(() => waiting() === 0, { describe: 'no hook waits', actual: () => world.processes(), timeoutMs: 30_000 });

describe('a question whose hook waits for the answer', () => {
  test('is reported with its options, before they are drawn', async () => {
    await start();
    const watcher = await cbos.watch();
    watcher.send({ type: 'subscribe', sessions: [slug] });
    await ask('run:told');
    const first = watcher.frames.find(
      (frame) => frame.type === 'session_state' && frame.session === slug && frame.status.question !== null,
    );
    const asked = first?.type === 'session_state' ? first.status.question : null;
    expect(asked?.options.map(({ means }) => means)).toEqual(expect.arrayContaining(['yes', 'no']));
    expect((await answer({ choice: 'no', ...(asked === null ? {} : { question_id: asked.id }) })).error).toBeNull();
    watcher.close();
  });

  test('reaches the agent that asked, if several ask at once', async () => {
    await start();
    for (const mark of ['one', 'two']) rmSync(join(world.dir, `ran-${mark}`), { force: true });
    await send('scene:both');
    await cbos.until(slug, ({ status }) => status.question?.kind === 'permission', 'asks for one of them');
    // While the hook of a background agent waits, Claude Code shows no dialog, so nobody could answer at the terminal.
    // Such a hook therefore ends at once.
    await untilNothingWaits();
    const first = await answerFront({ choice: 'yes' });
    const said = JSON.stringify(first.tool?.input).includes('ran-one') ? 'one' : 'two';
    await answerFront({ choice: 'no', text: 'not this one' }, first);
    await waitFor(() => timesRun(said) === 1, { describe: 'the first one ran' });
    await untilDone();
    expect(timesRun(said === 'one' ? 'two' : 'one')).toBe(0);
    await untilNothingWaits();
  });
});

test('a button in Telegram answers the dialog, and the message shows it', async () => {
  await using telegram = await startTelegram();
  await start();
  const bot = { name: 'BOT', kind: 'telegram', url: telegram.url, token: BOT_TOKEN, chat: '7', answers: true };
  expect((await cbos.call('POST', '/sinks', { ...bot, after_s: 0, away_s: 0 })).error).toBeNull();
  await ask('run:button');
  await waitFor(() => telegram.messages.length === 1 && telegram.isHeard(), { describe: 'the message is there' });
  const [message] = telegram.messages;
  expect(message?.text).toContain('ran-button');
  const pressedAt = performance.now();
  if (message !== undefined) telegram.press({ ...message }, message.buttons[0]);
  await cbos.until(slug, ({ status }) => status.question === null, 'is answered');
  // This figure is only printed, because a busy machine is not a fault.
  console.info(`from the press to the closed dialog: ${Math.round(performance.now() - pressedAt)} ms`);
  await untilDone();
  expect(timesRun('button')).toBe(1);
  await waitFor(() => message?.text.endsWith('Answered here: Yes.') === true, { describe: 'the message reports it' });
  expect((await cbos.call('DELETE', '/sinks/BOT')).error).toBeNull();
});

describe('a person at the terminal', () => {
  test('who answers is noticed: the hook ends with its dialog, and the next question is a different one', async () => {
    await start();
    const question = await ask('run:person');
    const { screen_id: screenId } = await cbos.session(slug);
    await cbos.until(slug, ({ status }) => status.unchanged_ms > 500, 'has not changed');
    await typeAtTerminal(world.env, screenId ?? '', '1');
    await untilDone();
    expect(timesRun('person')).toBe(1);
    await untilNothingWaits();
    expect((await answer({ choice: 'no', question_id: question.id })).error?.code).toBe('no_question');
  });

  test('who answers while no server runs is noticed by the next one', async () => {
    await start();
    await ask('run:alone');
    const { screen_id: screenId } = await cbos.session(slug);
    await cbos.until(slug, ({ status }) => status.unchanged_ms > 500, 'has not changed');
    await cbos.stop('SIGKILL');
    await typeAtTerminal(world.env, screenId ?? '', '1');
    await waitFor(() => timesRun('alone') === 1, { describe: 'it ran' });
    cbos = await startCbos(world, typed.env);
    await untilDone();
    await untilNothingWaits();
  });

  test('and an answer at the same moment: one wins, and the other is refused', {
    timeout: 60_000 + RACES * ROUND_MS,
  }, async () => {
    await start();
    let replies = 0;
    for (let race = 0; race < RACES; race += 1) {
      const mark = `race${race}`;
      const question = await ask(`run:${mark}`);
      const { screen_id: screenId } = await cbos.session(slug);
      await cbos.until(slug, ({ status }) => status.unchanged_ms > 500, 'has not changed');
      // The delays range from 100 ms before the other answer to 100 ms after it. 200 races cover each millisecond once.
      const keyAfterMs = ((race * 37) % 200) - 100;
      const [result] = await Promise.all([
        delay(Math.max(0, -keyAfterMs)).then(() => answer({ choice: 'no', text: 'not now', question_id: question.id })),
        delay(Math.max(0, keyAfterMs)).then(() => typeAtTerminal(world.env, screenId ?? '', '1')),
      ]);
      await untilDone();
      // The reply is a no, and the key is a yes. Whether the command ran shows which of them won.
      const isOurs = toolResults().at(-1)?.includes('not now') === true;
      replies += isOurs ? 1 : 0;
      expect({ race, ran: timesRun(mark), error: result.error?.code ?? null }).toEqual({
        ...{ race, ran: isOurs ? 0 : 1 },
        error: isOurs ? null : expect.stringMatching(/^(no|stale)_question$/),
      });
      await untilNothingWaits();
      await takeOutKey(screenId ?? '');
    }
    process.stdout.write(`${RACES} races: ${replies} won by the reply, ${RACES - replies} by the key\n`);
  });
});

/**
 * Removes a key that a person pressed too late and that is now in the prompt. CBOS must not remove such a key itself.
 */
async function takeOutKey(screenId: string): Promise<void> {
  await cbos.until(slug, ({ status }) => status.unchanged_ms > 500, 'has not changed');
  const { body } = await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=4`);
  if (/^[❯>]\s1$/m.test(body.buffer)) await typeAtTerminal(world.env, screenId, '\x7f');
}

describe('a server that is killed', () => {
  test('between the question and the answer: the next one answers it, once', {
    timeout: 60_000 + KILLS * ROUND_MS,
  }, async () => {
    await start();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const mark = `asked${kill}`;
      const { id } = await ask(`run:${mark}`);
      await cbos.stop('SIGKILL');
      cbos = await startCbos(world, typed.env);
      const question = await opened();
      expect(question.id).toBe(id);
      typed.forget();
      expect((await answer({ choice: 'yes', question_id: id })).error).toBeNull();
      await untilDone();
      expect([timesRun(mark), typed.calls(slug)]).toEqual([1, []]);
    }
  });

  test('while it answers: the answer is given, or can still be given; never twice', {
    timeout: 60_000 + KILLS * ROUND_MS,
  }, async () => {
    await start();
    let given = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const mark = `killed${kill}`;
      const { id } = await ask(`run:${mark}`);
      const lost = answer({ choice: 'yes', question_id: id }).catch(() => null);
      // The kills are spread over the time that an answer takes, even on a busy machine.
      await delay((kill * 7) % 60);
      await cbos.stop('SIGKILL');
      await lost;
      cbos = await startCbos(world, typed.env);
      const isGone = ({ status }: Session) => status.question?.id !== id;
      const isGiven = waiting() === 0;
      given += isGiven ? 1 : 0;
      if (!isGiven) {
        const again = await answer({ choice: 'yes', question_id: id });
        expect([undefined, 'no_question', 'stale_question']).toContain(again.error?.code);
      }
      await cbos.until(slug, isGone, 'is answered');
      await untilDone();
      expect({ kill, ran: timesRun(mark) }).toEqual({ kill, ran: 1 });
      await untilNothingWaits();
    }
    process.stdout.write(`${KILLS} kills while an answer was given: ${given} had been given\n`);
  });
});

test('an interrupt after a yes stops the call that the yes has allowed; the model learns that it was rejected', async () => {
  await start();
  await ask('run:stopped');
  expect((await answer({ choice: 'yes' })).error).toBeNull();
  await waitFor(() => timesRun('stopped') === 1, { describe: 'the command runs' });
  expect((await cbos.call('POST', `/sessions/${slug}/interrupt`)).error).toBeNull();
  await untilDone();
  expect((await send('scene:hello')).error).toBeNull();
  const told = () => JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request'));
  await waitFor(() => told().includes('The tool use was rejected'), { describe: 'the model is informed' });
});

test('ending a session ends its waiting hook', async () => {
  await start();
  await ask('run:ended');
  await waitFor(() => waiting() === 1, { describe: 'a hook waits' });
  expect((await cbos.call('POST', `/sessions/${slug}/kill`)).error).toBeNull();
  expect(waiting()).toBe(0);
});
