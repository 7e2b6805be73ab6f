import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Block, Scene } from '../../src/demo/scenes/scene.ts';
import { openDatabase } from '../../src/platform/sqlite/database.ts';
import type { Answer, Explanation, PermissionMode, Question, Session } from '../../src/protocol/index.ts';
import { asks, replyWith, runs, sceneOf, startAnswering, toolResults as toolResultsOf } from '../harness/answering.ts';
import { type ApiResult, type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, isOlderThan } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import type { TypedKeys } from '../harness/typed-keys.ts';
import { waitFor } from '../harness/wait-for.ts';

const option = (label: string, preview?: string) => ({
  label,
  description: `about ${label}`,
  ...(preview === undefined ? {} : { preview }),
});

/** Dialogs that the catalogue of scenes lacks. */
const DIALOGS: Record<string, Block[]> = {
  boxes: [
    asks({
      question: 'Which checks shall run?',
      header: 'Checks',
      multiSelect: true,
      options: [option('Types'), option('Lint'), option('Tests')],
    }),
  ],
  previews: [
    asks({
      question: 'Which layout?',
      header: 'Layout',
      multiSelect: false,
      options: [option('Wide', '+----+\n|    |\n+----+'), option('Tall', '+--+\n|  |\n+--+')],
    }),
  ],
  same: [runs('touch ../same.txt'), runs('touch ../same.txt')],
};

function chooseDialog(prompt: string): Scene | null {
  const name = /\bdialog:([a-z]+)/.exec(prompt)?.[1];
  const blocks = name === undefined ? undefined : DIALOGS[name];
  if (name === undefined || blocks === undefined) return null;
  return sceneOf(name, replyWith(...blocks), replyWith({ kind: 'text', text: 'Understood.' }));
}

const UP = '\x1b[A';
const DOWN = '\x1b[B';

let world: ClaudeWorld;
let cbos: Cbos;
let typed: TypedKeys;
let spares: SpareSessions;
let count = 0;
/** Part of every prompt of a test, to distinguish it from the prompts of other tests in the same session. */
let tag: string;
let slug: string;

beforeAll(async () => {
  ({ world, cbos, typed } = await startAnswering({ choosers: [chooseDialog], projects: ['other'] }));
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  tag = `T${count}`;
  slug = tag;
});
afterEach(() => spares.giveBack());

/** Takes a session that is ready for a prompt. */
async function start(mode?: PermissionMode): Promise<void> {
  ({ slug } = await spares.take(mode));
}

/** Launches a session that no other test gets. */
async function launch(path: string, env: Record<string, string> = {}): Promise<void> {
  const created = await cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path, env });
  expect(created.error).toBeNull();
}

const prompt = (text: string) => cbos.call('POST', `/sessions/${slug}/send`, { text: `${tag}: ${text}` });

/** Takes a session and brings it to an open dialog. */
async function ask(text: string, mode?: PermissionMode): Promise<Question> {
  await start(mode);
  await prompt(text);
  return openQuestion();
}

/** Waits for an open question with its options. */
async function openQuestion(other?: Question): Promise<Question> {
  const isOpen = ({ status }: Session) =>
    status.question !== null && status.question.options.length > 0 && status.question.id !== other?.id;
  const { status } = await cbos.until(slug, isOpen, 'asks something');
  if (status.question === null) throw new Error('a question was waited for');
  return status.question;
}

/** Claude Code loses keys that come as soon as a dialog is drawn. A person is slower. */
const untilItTakesKeys = () => cbos.until(slug, ({ status }) => status.unchanged_ms > 500, 'has not changed');

const answer = (body: Answer): Promise<ApiResult<{ status: string }>> =>
  cbos.call('POST', `/sessions/${slug}/answer`, body);

/** Expects a refusal by a version that lacks the option: nothing is typed, and the same question stays open. */
async function refused(question: Question, body: Answer, message: string): Promise<void> {
  const result = await answer(body);
  expect(result.error).toMatchObject({ code: 'no_such_option', message: expect.stringContaining(message) });
  const open = await openQuestion();
  expect([open.id, open.options]).toEqual([question.id, question.options]);
}

/** Nothing is typed into a session whose hook waits for the answer. Only what no hook can print is typed (`byKeys`). */
async function answered(body: Answer, { byKeys = false } = {}): Promise<void> {
  typed.forget();
  const { body: before } = await cbos.call<Explanation>('GET', `/sessions/${slug}/explain`);
  const result = await answer(body);
  // If an answer is typed, or refused, the hooks that had been received explain why.
  const seen = JSON.stringify({ hooks: before.evidence.hooks, asked: before.status.question, error: result.error });
  if (!byKeys && !isOlderThan('2.0.77')) expect(typed.calls(slug), seen).toEqual([]);
  expect(result.error, seen).toBeNull();
  expect(result.body).toEqual({ status: 'answered' });
}

const untilDone = () => cbos.untilStatus(slug, 'idle/waiting_input');

/**
 * Returns what Claude Code reported to the model about the tool calls of this test, in order. The results contain the
 * answers of the user.
 */
const toolResults = (): string[] => toolResultsOf(world, `${tag}: `);

/** Expects that nothing is left in the prompt, so that a text that is sent now reaches Claude Code alone. */
async function expectEmptyPrompt(): Promise<void> {
  const sent = await prompt('scene:hello and nothing else');
  expect(sent.error).toBeNull();
  await waitFor(() => world.promptsReceived().includes(`${tag}: scene:hello and nothing else`), {
    describe: 'the prompt arrives alone',
    actual: () => world.promptsReceived().slice(-3),
  });
}

describe('a permission', () => {
  const marker = () => join(world.dir, 'marker.txt');
  beforeEach(() => rmSync(marker(), { force: true }));

  test('is granted by yes', async () => {
    const question = await ask('scene:permission');
    expect(question).toMatchObject({
      kind: 'permission',
      tool: { name: 'Bash', input: { command: 'touch ../marker.txt' } },
    });
    await answered({ choice: 'yes', question_id: question.id });
    await untilDone();
    expect(existsSync(marker())).toBe(true);
    await expectEmptyPrompt();
  });

  test('is refused by no, which ends the turn', async () => {
    await ask('scene:permission');
    await answered({ choice: 'no' });
    await untilDone();
    expect(existsSync(marker())).toBe(false);
    expect(toolResults()).toEqual([]);
    await expectEmptyPrompt();
  });

  test('is refused with a remark, whose lines reach the model unchanged', async () => {
    await ask('scene:write');
    await answered({ choice: 'no', text: 'Use docs/ instead:\n1. Yes\n2. there is a README' });
    await untilDone();
    expect(toolResults()).toEqual([
      expect.stringContaining('the user said:\\nUse docs/ instead:\\n1. Yes\\n2. there is a README"'),
    ]);
    await expectEmptyPrompt();
  });

  const withRemark = { choice: 'yes', text: 'and then stop' } as const;

  test.skipIf(!isOlderThan('2.1.50'))('takes no remark on yes: nothing is answered', async () => {
    const question = await ask('scene:permission');
    await refused(question, withRemark, 'accept');
  });

  test.skipIf(isOlderThan('2.1.50'))('is granted with a remark', async () => {
    await ask('scene:permission');
    await answered(withRemark, { byKeys: true });
    await untilDone();
    expect(existsSync(marker())).toBe(true);
    expect(JSON.stringify(world.apiEvents)).toContain('and then stop');
  });

  test('is granted permanently by always: edits do not ask from then on', async () => {
    await launch(world.project('other'));
    await cbos.untilStatus(slug, 'idle/ready');
    await prompt('scene:write');
    await openQuestion();
    await answered({ choice: 'always' });
    await untilDone();
    // The hook reports the end of the turn before the screen is drawn.
    await cbos.until(slug, ({ buffer_tail }) => buffer_tail?.includes('accept edits on') ?? false, 'accepts edits');
    expect(existsSync(join(world.project('other'), 'notes.md'))).toBe(true);
  });

  test('by number leaves the next one as a separate question', async () => {
    const first = await ask('dialog:same');
    await answered({ choice: 1, question_id: first.id });
    const second = await openQuestion(first);
    expect((await answer({ choice: 'yes', question_id: first.id })).error?.code).toBe('stale_question');
    await answered({ choice: 'no', question_id: second.id });
    await untilDone();
  });

  test('accepts no remark on always: nothing is answered', async () => {
    const question = await ask('scene:permission');
    const result = await answer({ choice: 'always', text: 'but be careful' });
    expect(result.status).toBe(422);
    expect(result.error).toMatchObject({ code: 'no_such_option', message: 'This option does not accept a reply' });
    expect((await openQuestion()).id).toBe(question.id);
    await answered({ choice: 'no' });
  });
});

describe('a question', () => {
  const DATABASE = 'Which database shall the service use?';

  test.each([
    ['by number', { choice: 2 }, 'PostgreSQL'],
    ['by label', { text: 'postgresql' }, 'PostgreSQL'],
    ['by its text and label', { answers: { [DATABASE]: 'None' } }, 'None'],
    ['in words', { text: 'MySQL, version 8' }, 'MySQL, version 8'],
    ['by the number of the free-text option and a text', { choice: 4, text: 'Redis' }, 'Redis'],
  ])('is answered %s', async (_, body, told) => {
    await ask('scene:ask');
    await answered(body);
    await untilDone();
    expect(toolResults()).toEqual([expect.stringContaining(`\\"${DATABASE}\\"=\\"${told}\\"`)]);
    await expectEmptyPrompt();
  });

  test('accepts a text of several lines and 3 kB, without its control characters', async () => {
    await ask('scene:ask');
    const long = Array.from({ length: 60 }, (_, n) => `Reason ${n + 1}: 数据库 costs $HOME and \\ more`).join('\n');
    await answered({ text: `\x03${long}\x1b[201~` });
    await untilDone();
    expect(toolResults()[0]).toContain(JSON.stringify(long).slice(1, -1));
  });

  test('with checkboxes is answered by numbers', async () => {
    await ask('dialog:boxes');
    await answered({ choice: [1, 3] });
    await untilDone();
    expect(toolResults()).toEqual([expect.stringContaining('=\\"Types, Tests\\"')]);
  });

  test('with checkboxes accepts its own text next to them', async () => {
    await ask('dialog:boxes');
    await answered({ answers: { Checks: ['Lint', 'Spelling'] } });
    await untilDone();
    expect(toolResults()).toEqual([expect.stringContaining('=\\"Lint, Spelling\\"')]);
  });

  test('with previews is answered, although its digits only move the marker', async () => {
    await ask('dialog:previews');
    await answered({ text: 'Tall' });
    await untilDone();
    expect(toolResults()).toEqual([expect.stringContaining('=\\"Tall\\"')]);
  });

  test('with several parts is answered in one go', async () => {
    const question = await ask('scene:ask-multi');
    expect(question.questions.map(({ multi }) => multi)).toEqual([false, true]);
    await answered({
      answers: { 'Which language shall the client be in?': 'Rust', 'Which platforms matter?': ['macOS', 'Windows'] },
    });
    await untilDone();
    // 2.1.50 sends the user's own text to the model a second time, as a note.
    expect(toolResults()).toEqual([
      expect.stringMatching(/=\\"Rust\\".*, \\"Which platforms matter\?\\"=\\"macOS, Windows\\"/),
    ]);
  });

  test('with several parts, of which somebody has answered some, is answered as requested', async () => {
    await ask('scene:ask-multi');
    await untilItTakesKeys();
    await cbos.call('POST', `/sessions/${slug}/keys`, { keys: '1' });
    await cbos.until(
      slug,
      ({ buffer_tail }) => buffer_tail?.includes('[ ] Type something') ?? false,
      'shows the second part',
    );
    await cbos.call('POST', `/sessions/${slug}/keys`, { keys: '2' });
    const platforms = ['Linux', 'BSD'];
    await answered({ answers: { Language: 'Go', Platforms: platforms } });
    await untilDone();
    expect(toolResults()).toEqual([
      expect.stringContaining(`=\\"Go\\", \\"Which platforms matter?\\"=\\"${platforms.join(', ')}\\"`),
    ]);
  });

  // The field of older versions is different.
  test.skipIf(isOlderThan('2.1.151')).each<[string, string, Answer, string]>([
    ['by number', 'scene:ask', { choice: 2 }, 'PostgreSQL'],
    ['in words', 'scene:ask', { text: 'Redis' }, 'Redis'],
    ['with boxes', 'dialog:boxes', { choice: [1, 3] }, 'Types, Tests'],
  ])('is answered %s though a text was pasted into it, which goes into its field', async (_, text, body, told) => {
    const question = await ask(text);
    await untilItTakesKeys();
    const { screen_id: screenId } = await cbos.session(slug);
    await typeAtTerminal(world.env, screenId ?? '', `\x1b[200~1. a text that\n2. came late ${tag}\x1b[201~`);
    await cbos.until(
      slug,
      ({ buffer_tail }) => buffer_tail?.includes(`2. came late ${tag}`) ?? false,
      'has it in its field',
    );
    // In two of these cases, a person looks at the other options and comes back. The field's cursor is then before the
    // text.
    await typeAtTerminal(world.env, screenId ?? '', text === 'scene:ask' ? UP + DOWN : UP);
    expect((await openQuestion()).options.map(({ label }) => label)).toEqual(
      question.options.map(({ label }) => label),
    );
    await answered(body);
    await untilDone();
    expect(toolResults()).toEqual([expect.stringContaining(`=\\"${told}\\"`)]);
    expect(toolResults()[0]).not.toContain('came late');
    await expectEmptyPrompt();
  });

  test('refuses an option that it does not offer, and lists those that it does', async () => {
    const question = await ask('scene:ask');
    const none = await answer({ choice: 9 });
    expect(none.status).toBe(422);
    expect(none.error).toMatchObject({
      code: 'no_such_option',
      message: `Option 9 does not exist; the options are 1 to ${question.options.length}`,
    });
    expect(none.error?.hint).toContain('2. PostgreSQL');
    expect((await answer({ choice: 'always' })).error?.code).toBe('no_such_option');
    expect((await openQuestion()).id).toBe(question.id);
  });

  test('is left to talk about it', async () => {
    await ask('scene:ask');
    await answered({ text: 'Chat about this' });
    await untilDone();
    expect(toolResults()).toEqual([expect.stringContaining('wants to clarify')]);
  });

  test('in words is answered with a prompt', async () => {
    await start();
    await prompt('scene:query');
    await cbos.untilStatus(slug, 'waiting/question');
    await answered({ choice: 'yes', text: `${tag}: please` }, { byKeys: true });
    await waitFor(() => world.promptsReceived().includes(`Yes, ${tag}: please`), { describe: 'the answer arrives' });
  });
});

describe('a plan', () => {
  test('is approved with yes, and each edit still asks', async () => {
    await ask('scene:plan', 'plan');
    await answered({ choice: 'yes' });
    await untilDone();
    expect(toolResults().at(-1)).toContain('approved your plan');
    expect((await cbos.session(slug)).buffer_tail).not.toContain('accept edits on');
  });

  test('is refused with no', async () => {
    await ask('scene:plan', 'plan');
    await answered({ choice: 'no' });
    await untilDone();
    expect(toolResults().join()).not.toContain('approved');
    expect((await cbos.session(slug)).buffer_tail).toContain('plan mode on');
    await expectEmptyPrompt();
  });

  test.each([
    ['by no with a remark', { choice: 'no', text: 'Only a 1 line plan' } as const],
    ['in words', { text: 'Only a 1 line plan' }],
  ])('is sent back %s', async (_, body) => {
    await ask('scene:plan', 'plan');
    await answered(body);
    await untilDone();
    expect(toolResults().at(-1)).toContain('the user said:\\nOnly a 1 line plan');
  });
});

describe('the trust dialog', () => {
  test('is answered with yes', async () => {
    await launch(world.project('untrusted'));
    await cbos.untilStatus(slug, 'waiting/setup');
    await openQuestion();
    await answered({ choice: 'yes' }, { byKeys: true });
    await cbos.untilStatus(slug, 'idle/ready');
  });
});

test('the dialog about an API key in the environment is a question, and is answered with yes', async () => {
  await launch(world.projectDir, { ANTHROPIC_API_KEY: `sk-ant-another-${slug}-that-nobody-has-approved` });
  const question = await openQuestion();
  expect([question.kind, question.text]).toEqual(['setup', expect.stringContaining('API key')]);
  await answered({ choice: 'yes', question_id: question.id }, { byKeys: true });
  await cbos.untilStatus(slug, 'idle/ready');
  await expectEmptyPrompt();
});

/** A person's own key may come too late for its dialog. The person has to remove it, not CBOS. */
async function removeOwnKey(key: string): Promise<void> {
  await untilItTakesKeys();
  const { body } = await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=4`);
  if (!new RegExp(`^❯\\s${key}$`, 'm').test(body.buffer)) return;
  const { screen_id: screenId } = await cbos.session(slug);
  await typeAtTerminal(world.env, screenId ?? '', '\x7f');
  await untilItTakesKeys();
}

describe('an answer without a question', () => {
  test('is refused, and nothing is typed', async () => {
    await start();
    expect((await answer({ choice: 'yes' })).error?.code).toBe('no_question');
    await expectEmptyPrompt();
  });

  test('of two at once, the second is refused, and nothing of it is typed', async () => {
    await ask('scene:permission');
    const results = await Promise.all([answer({ choice: 'yes' }), answer({ choice: 'no', text: 'never' })]);
    expect(results.map(({ error }) => error?.code ?? 'answered')).toEqual(['answered', 'no_question']);
    await untilDone();
    await expectEmptyPrompt();
  });

  test('that a person at the terminal answers first is refused, and nothing is left in the prompt', async () => {
    await ask('scene:permission');
    await untilItTakesKeys();
    const [, { error }] = await Promise.all([
      cbos.call('POST', `/sessions/${slug}/keys`, { keys: '1' }),
      answer({ choice: 'no', text: 'too late' }),
    ]);
    await untilDone();
    const [result = '', ...others] = toolResults();
    expect(others).toEqual([]);
    // On a busy machine the answer can overtake the key. It must then be the one that Claude Code carried out.
    expect(['no_question', 'stale_question', undefined]).toContain(error?.code);
    expect(result.includes('too late')).toBe(error === null);
    await removeOwnKey('1');
    await expectEmptyPrompt();
  });

  test('whose digit came too late for its dialog is removed from the prompt before the next text, even after a kill', async () => {
    await start();
    const { screen_id: screenId } = await cbos.session(slug);
    await cbos.stop('SIGKILL');
    // A server that was killed before it typed the last of two digits left this in the database.
    const database = openDatabase(join(world.cbosHome, 'cbos.db'));
    database.prepare('UPDATE sessions SET answer_key = ? WHERE slug = ?').run('32', slug);
    database.close();
    await typeAtTerminal(world.env, screenId ?? '', '3');
    cbos = await startCbos(world, typed.env);
    await expectEmptyPrompt();
  });

  test('from two clients and a person at the terminal at once is given once; late answers are refused, and nothing of CBOS is left in the prompt', async () => {
    await ask('scene:ask');
    const { screen_id: screenId } = await cbos.session(slug);
    await untilItTakesKeys();
    const [one, other] = await Promise.all([
      answer({ text: 'SQLite' }),
      answer({ text: 'PostgreSQL' }),
      typeAtTerminal(world.env, screenId ?? '', '2'),
    ]);
    await untilDone();
    expect(toolResults()).toHaveLength(1);
    for (const { error } of [one, other]) expect([undefined, 'no_question', 'stale_question']).toContain(error?.code);
    expect([one, other].filter(({ error }) => error === null).length).toBeLessThanOrEqual(1);
    await removeOwnKey('2');
    await expectEmptyPrompt();
  });
});
