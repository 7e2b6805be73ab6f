import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openQuestions, type Question, type Session } from '../../src/protocol/index.ts';
import { waitFor } from '../harness/wait-for.ts';
import { beginTurn, expectMemory, isAnswered, type Life, must, PATIENCE_MS, requestsOf, SLUG, until } from './life.ts';
import { filesOf } from './scenes.ts';

/** How often a question in front may have changed when the answer to it arrives. */
const MAX_ATTEMPTS = 20;

export const commandOf = ({ tool }: Question): string =>
  String((tool?.input as { command?: unknown } | undefined)?.command);

const fileOf = (question: Question): string => basename(commandOf(question));

const questionFor = (session: Session, file: string): Question | undefined =>
  openQuestions(session.status).find((question) => fileOf(question) === file);

/** Answers the question about a file, once it is open. Reports whether the answer was accepted. */
export async function decide(life: Life, file: string): Promise<boolean> {
  const isYes = life.random.next() < 0.6;
  const asked = await until(life, (one) => questionFor(one, file) !== undefined, `asks for ${file}`);
  const id = questionFor(asked, file)?.id ?? '';
  const answered = await life.cbos.cli(['answer', SLUG, isYes ? 'yes' : 'no', '--question', id]);
  // Another agent's dialog may have come to the front of the terminal by now.
  if (answered.code === 4 && life.type === 'screen' && answered.stderr.includes('question')) return false;
  must(answered.code === 0, `the question about ${file} can be answered`, answered);
  life.decided.set(file, isYes);
  await until(life, ({ status }) => openQuestions(status).every((one) => one.id !== id), `asks no more for ${file}`);
  return true;
}

/** Checks that exactly what was allowed was done. */
export function expectDecisions({ world, decided }: Life): void {
  for (const [file, isYes] of decided) {
    if (!isYes) must(!existsSync(join(world.made, file)), `${file} was not created, which was not allowed`);
  }
}

export const untilCreated = (life: Life, files: readonly string[]): Promise<unknown> =>
  waitFor(
    () => files.every((file) => life.decided.get(file) !== true || isCreated(life, file) || isIsolated(life, file)),
    { describe: `what was allowed is created: ${files.join(', ')}`, timeoutMs: PATIENCE_MS },
  );

const isCreated = ({ world }: Life, file: string): boolean => existsSync(join(world.made, file));

/**
 * Reports whether Claude Code itself has refused a command that was allowed. It does so after the model has moved the
 * session into a worktree and the user has moved it back into the main checkout with `/cd`; see
 * findings/left-worktree-refuses-what-was-allowed.sh.
 */
function isIsolated({ world }: Life, file: string): boolean {
  const blocks = world.apiEvents.flatMap((event) => (event.kind === 'request' ? blocksOf(event.body) : []));
  const ids = blocks.flatMap(({ id, input }) => (String(input?.command).endsWith(`/${file}`) ? [id] : []));
  return blocks.some(
    ({ tool_use_id: id, content }) =>
      id !== undefined && ids.includes(id) && /is isolated in the worktree .* Refusing/s.test(JSON.stringify(content)),
  );
}

interface Block {
  id?: string;
  input?: { command?: unknown };
  tool_use_id?: string;
  content?: unknown;
}

const blocksOf = ({ messages = [] }: { messages?: readonly { content: unknown }[] }): readonly Block[] =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []));

/** Begins a turn that starts agents, which will ask. */
export async function beginAgents(life: Life): Promise<{ turn: number; files: readonly string[] }> {
  const count = life.random.int(1, 3);
  const turn = await beginTurn(life, 'agents', count);
  const files = filesOf(turn, count);
  for (const file of files) life.agents.add(file);
  return { turn, files };
}

/** Resolves when all agents of a JSON session ask, or the first agent of a terminal. */
export async function untilAsked(life: Life, files: readonly string[]): Promise<void> {
  const count = life.type === 'json' ? files.length : 1;
  const asking = (one: Session): number => files.filter((file) => questionFor(one, file) !== undefined).length;
  await until(life, (one) => asking(one) >= count, `has ${count} agents that ask`);
}

/** Begins a turn whose agents ask. Resolves when the turn is over and they ask. */
export async function askingAgents(life: Life): Promise<readonly string[]> {
  const { turn, files } = await beginAgents(life);
  await waitFor(() => isAnswered(life, turn) && requestsOf(life, turn).length > 1, {
    describe: 'the turn is over',
    timeoutMs: PATIENCE_MS,
  });
  expectMemory(life, turn);
  await untilAsked(life, files);
  return files;
}

/** Answers the questions of agents, in any order in a JSON session. Resolves when everything allowed is created. */
export async function decideAll(life: Life, files: readonly string[]): Promise<void> {
  const left = [...files];
  for (let attempts = 1; left.length > 0; attempts += 1) {
    must(attempts < MAX_ATTEMPTS, 'every question can be answered', left);
    const file = life.type === 'json' ? life.random.pick(left as [string, ...string[]]) : await inFront(life);
    if (await decide(life, file)) left.splice(left.indexOf(file), 1);
  }
  await untilCreated(life, files);
}

/** Returns the file about which the question is that a terminal shows. Only that question can be answered there. */
export async function inFront(life: Life): Promise<string> {
  const { status } = await until(
    life,
    ({ status: { question } }) => question !== null && !life.decided.has(fileOf(question)),
    'shows a question',
  );
  return status.question === null ? '' : fileOf(status.question);
}
