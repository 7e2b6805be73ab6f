import pty, { type IPty } from '@lydell/node-pty';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { openQuestions, type Question, type Session, type StreamFrame } from '../../src/protocol/index.ts';
import {
  type Asked,
  answerAfter,
  answersOf,
  askingArguments,
  askingCall,
  CHOICE,
  FORM,
  untilConnected,
} from '../harness/asking-server.ts';
import { type Cbos, PROGRAM, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

const SERVERS = ['asking', 'other'];

let world: ClaudeWorld;
let cbos: Cbos;
let person: IPty | null = null;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [choose] });
  cbos = await startCbos(world);
  for (const slug of ['FORMS', 'DIALOG', 'SILENT']) await start(slug);
});
afterEach(async () => {
  person?.kill();
  person = null;
  // While a terminal closes, Screen may still count it as attached, and read nothing from the window.
  for (const slug of ['FORMS', 'DIALOG', 'SILENT'])
    await cbos.until(slug, ({ attached }) => attached === false, 'has nobody attached');
});
afterAll(() => world.dispose());

const answer = (...blocks: Block[]) => ({ kind: 'answer', blocks }) as const;
const say = (text: string): Reply => answer({ kind: 'text', text });
const choice = (more: Partial<Asked> = {}): Block => askingCall({ ask: CHOICE, ...more });
const fields = (more: Partial<Asked> = {}): Block => askingCall({ ask: FORM, server: 'other', ...more });
const agent = (prompt: string): Block => ({
  kind: 'tool',
  name: 'Agent',
  input: { description: 'ask the user', prompt, subagent_type: 'general-purpose' },
});
const TOUCH: Block = { kind: 'tool', name: 'Bash', input: { command: 'touch made-by-main' } };
/** How long a call waits, so that the dialog, or the hook, of an earlier request is open by then. */
const LATER_MS = 4_000;
/** When a server gives up. Until then, its form is behind another one. */
const GIVE_UP_MS = 5_000;

const SCENES: Readonly<Record<string, readonly Reply[]>> = {
  'part-later': [{ ...answer(fields()), firstByteDelayMs: LATER_MS }, say('The agent is done.')],
  'part-now': [answer(fields()), say('The agent is done.')],
  'part-cancelled': [
    { ...answer(fields({ giveUpAfterMs: GIVE_UP_MS })), firstByteDelayMs: LATER_MS },
    say('The agent is done.'),
  ],
  'scene:forms': [answer(agent('part-later'), choice()), say('It is over.')],
  'scene:dialog': [answer(agent('part-now')), { ...answer(TOUCH), firstByteDelayMs: LATER_MS }, say('It is over.')],
  'scene:cancelled': [answer(agent('part-cancelled'), choice()), say('It is over.')],
  'scene:silent': [
    answer(
      choice({ giveUpAfterMs: GIVE_UP_MS, isSilent: true }),
      fields({ giveUpAfterMs: GIVE_UP_MS, isSilent: true }),
    ),
    say('It is over.'),
  ],
  'scene:same': [answer(choice(), choice({ ask: { ...CHOICE, message: 'Deploy again?' } })), say('It is over.')],
};

function choose(prompt: string): Scene | null {
  const [name, replies] = Object.entries(SCENES).find(([key]) => prompt.includes(key)) ?? [];
  return name === undefined || replies === undefined ? null : { name, about: name, replies };
}

/** Starts a session whose servers are connected. */
async function start(slug: string): Promise<void> {
  const body = { slug, path: world.projectDir, type: 'screen', args: askingArguments(world, SERVERS) };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
  await untilConnected(world, cbos, slug, SERVERS);
}

async function attach(slug: string): Promise<void> {
  person = pty.spawn(process.execPath, [PROGRAM, 'attach', slug], { cols: 160, rows: 45, env: world.env });
  await cbos.until(slug, ({ attached }) => attached === true, 'is attached');
}

async function send(slug: string, prompt: string): Promise<void> {
  const sent = await cbos.cli(['send', slug, prompt]);
  expect(sent.code, sent.stderr).toBe(0);
}

const idsOf = ({ status }: Pick<Session, 'status'>): string[] => openQuestions(status).map(({ id }) => id ?? '');

/** Waits until one question is open and another is behind it, and returns both. */
async function untilBehind(slug: string): Promise<[Question, Question]> {
  const isBehind = ({ status }: Session): boolean =>
    status.questions?.length === 2 && status.questions[1]?.behind === true;
  const session = await cbos.until(slug, isBehind, 'has a form behind another dialog');
  return openQuestions(session.status) as [Question, Question];
}

/** Waits until a question is the open one. */
async function untilFirst(slug: string, { id }: Question): Promise<Session> {
  const isFirst = ({ status: { question } }: Session): boolean => question?.id === id && question?.behind !== true;
  return cbos.until(slug, isFirst, 'shows the dialog of the form');
}

const close = async (slug: string): Promise<void> => {
  const closed = await cbos.cli(['answer', slug, 'no']);
  expect(closed.code, closed.stderr).toBe(0);
};

test('a form of an agent that comes while a person has another form is an open question behind it', async () => {
  await attach('FORMS');
  const before = answersOf(world).length;
  await send('FORMS', 'scene:forms');
  const [first, second] = await untilBehind('FORMS');
  expect([first, second]).toMatchObject([
    { kind: 'form', asker: { name: 'asking' }, form: { at_terminal: true } },
    { kind: 'form', asker: { name: 'other' }, form: { at_terminal: true, fields: [{}, {}, {}, {}, {}] }, behind: true },
  ]);
  const early = await cbos.cli(['answer', 'FORMS', '--question', second.id ?? '', '--set', 'environment=staging']);
  expect(early).toMatchObject({ code: 4, stderr: expect.stringContaining('shows another question') });
  expect(early.stderr).toContain(`--question ${first.id}`);
  expect(answersOf(world)).toHaveLength(before);

  const watcher = await cbos.watch();
  await close('FORMS');
  expect(await answerAfter(world, before)).toEqual({ server: 'asking', action: 'cancel' });
  await untilFirst('FORMS', second);
  await close('FORMS');
  expect(await answerAfter(world, before + 1)).toEqual({ server: 'other', action: 'cancel' });
  await cbos.until('FORMS', ({ status }) => status.primary === 'idle', 'is idle');
  const seen = watcher.frames.flatMap((frame) => questionsIn(frame, 'FORMS'));
  watcher.close();
  // From its first moment behind the other form until its answer, the second form was an open question.
  expect(seen.findLastIndex((ids) => ids.includes(second.id ?? ''))).toBe(
    seen.findIndex((ids) => ids.length === 0) - 1,
  );
});

/** Returns the ids of the open questions that a frame reports about a session. */
function questionsIn(frame: StreamFrame, slug: string): string[][] {
  return frame.type === 'session_state' && frame.session === slug ? [idsOf({ status: frame.status })] : [];
}

test('a form behind another form is closed when its server cancels it, and the other stays open', async () => {
  await attach('FORMS');
  await send('FORMS', 'scene:cancelled');
  const [first, second] = await untilBehind('FORMS');
  const left = await cbos.until('FORMS', (one) => !idsOf(one).includes(second.id ?? ''), 'has no form behind');
  expect(idsOf(left)).toEqual([first.id]);
  await close('FORMS');
  await cbos.until('FORMS', ({ status }) => status.primary === 'idle', 'is idle');
});

test("a form that asked before the turn's own permission request is behind its dialog once a person attaches", async () => {
  await send('DIALOG', 'scene:dialog');
  const isAsking = ({ status }: Session): boolean => openQuestions(status).length === 2;
  const asking = await cbos.until('DIALOG', isAsking, 'asks twice');
  expect(asking.status.questions).toMatchObject([{ kind: 'permission' }, { kind: 'form' }]);
  expect(asking.status.questions?.[1]).not.toHaveProperty('behind');
  await attach('DIALOG');
  const [permission, form] = await untilBehind('DIALOG');
  expect([permission, form]).toMatchObject([{ kind: 'permission', asker: { kind: 'session' } }, { kind: 'form' }]);
  // The question of a dialog that is drawn before its hook arrives is another one than the hook's.
  expect(form.id).toBe(idsOf(asking)[1]);
  expect((await cbos.cli(['answer', 'DIALOG', 'no', '--question', form.id ?? ''])).code).toBe(4);
  expect((await cbos.cli(['answer', 'DIALOG', 'yes'])).stderr).toBe('');
  await untilFirst('DIALOG', form);
  await close('DIALOG');
  await cbos.until('DIALOG', ({ status }) => status.primary === 'idle', 'is idle');
});

test('a form that its server has left without a word stays behind the other, because its dialog comes all the same', async () => {
  await attach('SILENT');
  await send('SILENT', 'scene:silent');
  const [first, second] = await untilBehind('SILENT');
  const isOver = ({ status }: Session): boolean => status.question?.form?.left === true;
  expect(idsOf(await cbos.until('SILENT', isOver, 'is over behind the forms'))).toEqual([first.id, second.id]);
  await close('SILENT');
  await untilFirst('SILENT', second);
  await close('SILENT');
  await cbos.untilStatus('SILENT', 'idle/waiting_input');
});

test('two forms of one server are two questions, and each end closes one', async () => {
  await attach('SILENT');
  await send('SILENT', 'scene:same');
  const [first, second] = await untilBehind('SILENT');
  expect(new Set([first.text, second.text])).toEqual(new Set(['Deploy it?', 'Deploy again?']));
  // Which of the two Claude Code shows first is known once it has drawn the dialog.
  const closeDrawn = () =>
    waitFor(async () => (await cbos.cli(['answer', 'SILENT', 'no'])).code === 0, { describe: 'the form is closed' });
  await closeDrawn();
  const left = await cbos.until('SILENT', (one) => idsOf(one).length === 1, 'has one form left');
  expect([first.id, second.id]).toContain(idsOf(left)[0]);
  await closeDrawn();
  await cbos.untilStatus('SILENT', 'idle/waiting_input');
});
