import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
let count = 0;
/** Part of every prompt of a test, to distinguish it from the prompts of other tests in the same session. */
let tag: string;
let slug: string;
let screenId: string;

beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  tag = `T${count}`;
});
afterEach(() => spares.giveBack());

async function takeSpare(): Promise<void> {
  ({ slug, screenId } = await spares.take());
}

const send = (text: string) => cbos.call('POST', `/sessions/${slug}/send`, { text });
const type = (keys: string) => cbos.call('POST', `/sessions/${slug}/keys`, { keys });
const interrupt = () => cbos.call<{ status: string }>('POST', `/sessions/${slug}/interrupt`);
const screenText = async (): Promise<string> =>
  (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`)).body.buffer;
const shows = (text: string) =>
  waitFor(async () => (await screenText()).includes(text), { describe: `${slug} shows ${text}` });

const TRANSCRIPT = '\x0f';
/** How long after an interrupt a text may still come back. */
const LATE_MS = 5_500;

/** The draft alone, or after the prompt that was never answered. Claude Code sends both to the model as one. */
const DRAFT = /^(?:scene:silent\n+)?half a thought and its end$/;

async function interrupted(): Promise<void> {
  const result = await interrupt();
  expect(result.error).toBeNull();
  expect(result.body).toEqual({ status: 'interrupted' });
}

/** Sends a prompt and proves that Claude Code gets this text and nothing that was in the box before. */
async function expectEmptyPrompt(): Promise<void> {
  const text = `${tag}: alone scene:hello`;
  expect((await send(text)).error).toBeNull();
  await waitFor(() => world.promptsReceived().includes(text), {
    describe: 'the prompt arrives alone',
    actual: async () => {
      const deliveries = (await cbos.call('GET', `/sessions/${slug}/deliveries`)).body;
      const { status, buffer_tail: screen } = await cbos.session(slug);
      return { prompts: world.promptsReceived().slice(-3), deliveries, status, screen };
    },
  });
}

describe('an interrupt', () => {
  beforeEach(takeSpare);

  test('stops an answer that is being written; the prompt stays empty', async () => {
    await send('scene:long');
    await cbos.untilStatus(slug, 'active/responding');
    await shows('10. This is line');
    await interrupted();
    expect((await cbos.session(slug)).status.primary).toBe('idle');
    await expectEmptyPrompt();
  });

  test('stops a tool', async () => {
    await send('scene:tools');
    await cbos.untilStatus(slug, 'active/using_tools');
    await interrupted();
    await cbos.untilStatus(slug, 'idle/waiting_input');
    await expectEmptyPrompt();
  });

  test('before the first answer removes the prompt that Claude Code puts back into the box', async () => {
    const prompt = `${tag}: a prompt of two lines, one of them longer than the window is wide: ${'word '.repeat(40)}\nand scene:silent`;
    await send(prompt);
    await cbos.untilStatus(slug, 'active/thinking');
    await interrupted();
    await expectEmptyPrompt();
  });

  test('removes it even if somebody opens the transcript first, once that is closed', async () => {
    await send(`${tag}: covered scene:silent`);
    await cbos.untilStatus(slug, 'active/thinking');
    const interrupting = interrupted();
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is interrupted');
    await typeAtTerminal(world.env, screenId, TRANSCRIPT);
    const isCovered = await Promise.race([
      shows('Showing detailed transcript').then(
        () => true,
        () => false,
      ),
      interrupting.then(() => delay(LATE_MS)).then(() => false),
    ]);
    await interrupting;
    // The key that empties the prompt closes the transcript if it opens at the same moment.
    if (!isCovered) return expectEmptyPrompt();
    await cbos.until(slug, ({ status }) => (status.unchanged_ms ?? 0) > LATE_MS, 'is long past the interrupt');
    await typeAtTerminal(world.env, screenId, TRANSCRIPT);
    await cbos.until(
      slug,
      ({ status, view }) => status.primary === 'idle' && view === undefined,
      'is idle without a view',
    );
    await expectEmptyPrompt();
  });

  test.each([
    ['before the first answer', 'scene:silent', 'active/thinking'],
    ['in the middle of an answer', 'scene:long', 'active/responding'],
  ])('%s leaves a draft that somebody has typed', async (_, scene, status) => {
    const before = world.promptsReceived().length;
    await send(scene);
    await cbos.untilStatus(slug, status);
    await type('half a thought');
    await shows('half a thought');
    await interrupted();
    await type(' and its end');
    await shows('half a thought and its end');
    await type('\r');
    await waitFor(
      () =>
        world
          .promptsReceived()
          .slice(before)
          .some((prompt) => DRAFT.test(prompt)),
      {
        describe: 'the draft is whole',
        actual: () => world.promptsReceived().slice(-3),
      },
    );
  });

  test('stops only the turn: a text in the queue comes next', async () => {
    await send('scene:silent');
    await cbos.untilStatus(slug, 'active/thinking');
    await send(`${tag}: queued scene:hello`);
    await shows('Queued');
    await interrupted();
    await waitFor(() => world.promptsReceived().some((prompt) => prompt.includes(`${tag}: queued`)), {
      describe: 'the queued text is taken',
    });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    const [queued, running] = (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body;
    expect([running, queued].map((one) => [one?.text, one?.phase])).toEqual([
      ['scene:silent', 'interrupted'],
      [`${tag}: queued scene:hello`, 'taken'],
    ]);
  });

  test('is that of one of two prompts with the same text: the other comes next, and is interrupted in its turn', async () => {
    const text = `${tag}: again scene:silent`;
    const phases = async () =>
      (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body
        .filter((one) => one.text === text)
        .map(({ phase }) => phase);
    await send(text);
    await cbos.untilStatus(slug, 'active/thinking');
    await send(text);
    await shows('Queued');
    await interrupted();
    expect(await phases()).toEqual(['taken', 'interrupted']);
    await cbos.untilStatus(slug, 'active/thinking');
    await interrupted();
    expect(await phases()).toEqual(['interrupted', 'interrupted']);
    // The second one is gone. The first one had no answer, so Claude Code sends it once more with this prompt.
    await send(`${tag}: alone scene:hello`);
    await waitFor(() => world.promptsReceived().at(-1) === `${text}\n\n${tag}: alone scene:hello`, {
      describe: 'the prompt arrives without the second one',
      actual: () => world.promptsReceived().slice(-3),
    });
  });

  test('is refused if nothing is running, and in front of a dialog, which stays open', async () => {
    const idle = await interrupt();
    expect(idle.status).toBe(409);
    expect(idle.error?.code).toBe('nothing_running');
    await send('scene:permission');
    const before = await cbos.untilStatus(slug, 'waiting/permission');
    const waiting = await interrupt();
    expect(waiting.error).toMatchObject({ code: 'nothing_running', hint: `\`cbos answer ${slug} no\` refuses it` });
    expect((await cbos.session(slug)).status.question?.id).toBe(before.status.question?.id);
    await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'no' });
    await cbos.untilStatus(slug, 'idle/waiting_input');
  });

  test('that comes twice at once stops one turn', async () => {
    await send('scene:long');
    await cbos.untilStatus(slug, 'active/responding');
    const results = await Promise.all([interrupt(), interrupt()]);
    expect(results.map(({ error }) => error?.code ?? 'interrupted')).toEqual(['interrupted', 'nothing_running']);
    await expectEmptyPrompt();
  });
});

describe.each(['screen', 'json'] as const)('texts that wait for a %s session', (sessionType) => {
  beforeEach(async () => {
    if (sessionType === 'screen') return takeSpare();
    slug = `J${count}`;
    await cbos.call<Session>('POST', '/sessions', { slug, type: 'json', path: world.projectDir });
    await cbos.untilStatus(slug, 'idle/ready');
  });

  // A prompt whose turn had no answer yet comes before the next prompt: Claude Code sends both to the model as one.
  const arrived = (): string[] =>
    world
      .promptsReceived()
      .flatMap((prompt) => [...prompt.matchAll(new RegExp(`${tag}: (\\w+)`, 'g'))].at(-1)?.[1] ?? []);
  const untilArrived = (...names: string[]) =>
    waitFor(() => arrived().join() === names.join(), { describe: `${names} arrive`, actual: arrived });
  const queue = (name: string) =>
    cbos.call('POST', `/sessions/${slug}/send`, { text: `${tag}: ${name} scene:hello`, queue: true });

  test('stay when its turn is interrupted until the queue is resumed, even after a crash of the server', async () => {
    await send(`${tag}: running scene:long`);
    await cbos.untilStatus(slug, 'active/responding');
    expect((await queue('queued')).error).toBeNull();
    await cbos.call('POST', '/stash', {
      session_slug: slug,
      response: `${tag}: stashed scene:hello`,
      when: 'next_waiting',
    });
    await interrupted();
    await cbos.until(slug, (one) => one.queue_stopped_at !== null, 'reports that its queue is stopped');
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.until(slug, (one) => one.status.primary === 'idle', 'is ready');
    // A text that is to be sent now is sent. The end of its turn releases no other text.
    expect((await send(`${tag}: now scene:hello`)).body).toMatchObject({ status: 'delivered' });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(arrived()).toEqual(['running', 'now']);
    expect((await cbos.cli(['queue', 'ls', slug])).stderr).toContain(`cbos queue resume ${slug}`);
    expect((await cbos.cli(['queue', 'resume', slug])).code).toBe(0);
    await untilArrived('running', 'now', 'queued', 'stashed');
    await cbos.until(slug, (one) => one.queue_stopped_at === null, 'reports that its queue continues');
  });

  test('and came after that are not part of the paused queue', async () => {
    await send(`${tag}: running scene:long`);
    await cbos.untilStatus(slug, 'active/responding');
    await interrupted();
    await cbos.until(slug, (one) => one.status.primary === 'idle', 'is ready');
    expect((await cbos.session(slug)).queue_stopped_at).toBeNull();
    await queue('queued');
    await untilArrived('running', 'queued');
  });
});
