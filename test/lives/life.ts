import { existsSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findTranscript } from '../../src/platform/claude/index.ts';
import { openQuestions, type Question, type Session } from '../../src/protocol/index.ts';
import { type Cbos, type CliResult, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { keepEvidence } from '../torture/keep-evidence.ts';
import { createRandom, type Random } from '../torture/random.ts';
import { type LifeWorld, lifeWorld, REFUSED_WORD } from './life-world.ts';
import { ANSWER_TO_BLOCK, answerOf, filesOf, markOf, promptOf, type TurnKind } from './scenes.ts';

/** What happens to a session, one after the other. After each, the session is idle, asleep or stopped. */
const STEPS = {
  /** a turn that ends with an answer */
  turn,
  /** a turn that asks for a permission, which is given or not */
  permission,
  /** agents in the background, which ask during the turn and after it */
  agents,
  /** agents that ask when the process, or the server, is killed */
  askedAtDeath,
  /** the user's Stop hook blocks the end of the turn */
  blockedStop,
  /** the user's hook refuses the prompt */
  refusedPrompt,
  /** the model moves the session into a worktree */
  enterWorktree,
  /** the user moves the session into another folder */
  changeFolder,
  /** the turn is interrupted */
  interrupt,
  /** Claude Code is killed, in a turn or between two */
  kill,
  /** the server is killed in a turn, and starts again */
  killServer,
  /** the process ends in the usual way: idle time-out, parking, or stop */
  sleep,
  /** a JSON session gets a terminal, or gives it back */
  convert,
  /** the transcript is gone when the session is to continue */
  loseTranscript,
} as const;

type StepName = keyof typeof STEPS;

const WEIGHTS: Readonly<Record<StepName, number>> = {
  turn: 3,
  permission: 3,
  agents: 5,
  askedAtDeath: 2,
  blockedStop: 2,
  refusedPrompt: 2,
  enterWorktree: 2,
  changeFolder: 2,
  interrupt: 2,
  kill: 3,
  killServer: 2,
  sleep: 4,
  convert: 2,
  loseTranscript: 2,
};

const SLUG = 'LIFE';
/** A session on a loaded machine, with four others beside it. */
const PATIENCE_MS = 90_000;

/** A session that lives, and what its conversation must contain. */
interface Life {
  world: LifeWorld;
  cbos: Cbos;
  random: Random;
  type: 'screen' | 'json';
  /** the number of the last turn */
  turn: number;
  /** the turns that the conversation must contain */
  remembered: number[];
  /** whether the session has ended, so that a restart must come first */
  hasEnded: boolean;
  /** the agents whose end the model has not been told yet, by the files that they create */
  agents: Set<string>;
  /** the files that were allowed, and those that were not */
  decided: Map<string, boolean>;
}

/** What happened in a life, for the failure message. */
export interface LifeStory {
  seed: number;
  type: 'screen' | 'json';
  steps: StepName[];
}

/**
 * Lives one life on the real Claude Code: a session of its own in a world of its own, to which random things happen.
 * @param steps how many
 * @param only the steps to choose from; all if omitted
 * @throws Error with the story if the conversation was replaced, a question was lost or answered for another, or
 * CBOS said that a turn was over before it was
 */
export async function live(seed: number, steps: number, only?: readonly StepName[]): Promise<LifeStory> {
  const random = createRandom(seed);
  const type = random.pick(['screen', 'json'] as const);
  const story: LifeStory = { seed, type, steps: [] };
  await using world = await lifeWorld();
  const cbos = await startCbos(world, SERVER);
  const life: Life = {
    world,
    cbos,
    random,
    type,
    turn: 0,
    remembered: [],
    hasEnded: false,
    agents: new Set(),
    decided: new Map(),
  };
  try {
    const body = { slug: SLUG, path: world.projectDir, type, permission_mode: 'default' };
    must((await cbos.call('POST', '/sessions', body)).error === null, 'the session starts');
    await turn(life);
    const weights = Object.fromEntries(
      (only ?? (Object.keys(STEPS) as StepName[])).map((name) => [name, WEIGHTS[name]]),
    );
    while (story.steps.length < steps) {
      const step = random.weighted(weights as Record<StepName, number>);
      story.steps.push(step);
      await STEPS[step](life);
      expectDecisions(life);
    }
    await turn(life);
    expectDecisions(life);
  } catch (error) {
    const shown = await life.cbos.session(SLUG).then(shownOf, String);
    const evidence = keepEvidence(world, `life-${seed}`, { story, api: world.apiEvents });
    throw new Error(`${JSON.stringify(story)}: ${String(error)}\n${shown}\n${evidence}`, { cause: error });
  }
  return story;
}

/** What a failure message says of a session. */
const shownOf = ({ status, json_state: state, pid, buffer_tail: tail }: Session): string =>
  JSON.stringify({ ...status, question: null, questions: openQuestions(status).map(commandOf), state, pid, tail });

/** A second, so that a JSON session is asleep soon after each turn. */
const SERVER = { CBOS_JSON_IDLE_TIMEOUT: '1' };

function must(condition: boolean, what: string, actual: unknown = ''): asserts condition {
  if (!condition) throw new Error(`it does not hold that ${what}: ${JSON.stringify(actual)}`);
}

const until = (life: Life, condition: (session: Session) => boolean, describe: string): Promise<Session> =>
  life.cbos.until(SLUG, condition, describe, PATIENCE_MS);

/** Resolves when the session is idle, and the model has heard from all agents. Each of their ends begins a turn. */
async function untilIdle(life: Life): Promise<void> {
  const { agents, world } = life;
  const isKnown = (agent: string): boolean => {
    const report = world.apiEvents.find(
      (event) => event.kind === 'request' && JSON.stringify(event.body).includes(`Agent \\"create ${agent}\\" `),
    );
    return (
      report !== undefined && world.apiEvents.some(({ kind, request }) => kind === 'end' && request === report.request)
    );
  };
  await waitFor(() => [...agents].every(isKnown), {
    describe: `the model knows how all agents ended: ${[...agents].join(', ')}`,
    timeoutMs: PATIENCE_MS,
  });
  agents.clear();
  await until(life, ({ status }) => status.primary === 'idle' && openQuestions(status).length === 0, 'is idle');
}

/** Runs a command that must succeed. */
async function run(life: Life, ...args: string[]): Promise<CliResult> {
  const result = await life.cbos.cli(args);
  must(result.code === 0, `cbos ${args.join(' ')} succeeds`, result);
  return result;
}

/** Restarts the session if it has ended; a prompt wakes one that is asleep. */
async function bringBack(life: Life): Promise<void> {
  if (!life.hasEnded) return;
  const { stdout } = await run(life, 'restart', SLUG);
  must(stdout.includes('continues its conversation'), 'the restart continues the conversation', stdout);
  life.hasEnded = false;
  await untilIdle(life);
}

/** The requests of a turn, without those of its agents. */
const requestsOf = ({ world }: Life, turn: number) =>
  world.apiEvents.filter((event) => event.kind === 'request' && event.prompt.includes(markOf(turn)));

/** Whether the model has been asked for the last answer of a turn, and has given it. */
function isAnswered(life: Life, turn: number): boolean {
  const last = requestsOf(life, turn).at(-1)?.request;
  return life.world.apiEvents.some(({ kind, request }) => kind === 'end' && request === last);
}

/** Checks that the model gets every earlier turn with this one. */
function expectMemory(life: Life, turn: number): void {
  const told = JSON.stringify(requestsOf(life, turn).at(-1));
  const forgotten = life.remembered.filter((one) => !told.includes(markOf(one)));
  must(forgotten.length === 0, `turn ${turn} continues the conversation`, { forgotten, of: life.remembered });
  life.remembered.push(turn);
}

/** Runs a whole turn with `send --wait`, and checks that its answer is printed once the turn is over. */
async function wholeTurn(life: Life, kind: TurnKind, answer = answerOf(life.turn + 1)): Promise<void> {
  await bringBack(life);
  life.turn += 1;
  const { stdout } = await run(life, 'send', SLUG, promptOf(life.turn, kind), '--wait');
  must(isAnswered(life, life.turn), `send --wait returns after turn ${life.turn}`, stdout);
  must(stdout.trim().endsWith(answer), `send --wait prints the answer of turn ${life.turn}`, stdout);
  expectMemory(life, life.turn);
}

/** Sends a prompt whose turn is not waited for. Resolves when the model has the prompt. */
async function beginTurn(life: Life, kind: TurnKind, agents = 0): Promise<number> {
  await bringBack(life);
  await untilIdle(life);
  life.turn += 1;
  const { turn } = life;
  await run(life, 'send', SLUG, promptOf(turn, kind, agents));
  await waitFor(() => requestsOf(life, turn).length > 0, {
    describe: 'the model has the prompt',
    timeoutMs: PATIENCE_MS,
  });
  return turn;
}

function turn(life: Life): Promise<void> {
  return wholeTurn(life, 'plain');
}

async function blockedStop(life: Life): Promise<void> {
  await bringBack(life);
  await untilIdle(life);
  life.world.blockStops(life.random.int(1, 3));
  await wholeTurn(life, 'plain', ANSWER_TO_BLOCK);
}

async function enterWorktree(life: Life): Promise<void> {
  await wholeTurn(life, 'enters');
}

async function changeFolder(life: Life): Promise<void> {
  if (life.type !== 'screen') return turn(life);
  await bringBack(life);
  await untilIdle(life);
  const target = life.random.pick([life.world.other, life.world.projectDir]);
  await run(life, 'send', SLUG, '--command', '--wait', `/cd ${target}`);
  await untilIdle(life);
}

async function refusedPrompt(life: Life): Promise<void> {
  await bringBack(life);
  await untilIdle(life);
  const sent = await life.cbos.cli(['send', SLUG, `a ${REFUSED_WORD}`, '--wait']);
  must(sent.code === 1 && sent.stderr.includes('Not this one'), 'the prompt is reported as refused', sent);
}

const commandOf = ({ tool }: Question): string => String((tool?.input as { command?: unknown } | undefined)?.command);
const fileOf = (question: Question): string => basename(commandOf(question));
const questionFor = (session: Session, file: string): Question | undefined =>
  openQuestions(session.status).find((question) => fileOf(question) === file);

/** Answers the question about a file, once it is open. */
async function decide(life: Life, file: string): Promise<void> {
  const isYes = life.random.next() < 0.6;
  const asked = await until(life, (one) => questionFor(one, file) !== undefined, `asks for ${file}`);
  const id = questionFor(asked, file)?.id ?? '';
  await run(life, 'answer', SLUG, isYes ? 'yes' : 'no', '--question', id);
  life.decided.set(file, isYes);
  await until(life, ({ status }) => openQuestions(status).every((one) => one.id !== id), `asks no more for ${file}`);
}

/** Checks that exactly what was allowed was done. */
function expectDecisions({ world, decided }: Life): void {
  for (const [file, isYes] of decided) {
    if (!isYes) must(!existsSync(join(world.made, file)), `${file} was not created, which was not allowed`);
  }
}

const untilCreated = ({ world, decided }: Life, files: readonly string[]): Promise<unknown> =>
  waitFor(() => files.every((file) => decided.get(file) !== true || existsSync(join(world.made, file))), {
    describe: `what was allowed is created: ${files.join(', ')}`,
    timeoutMs: PATIENCE_MS,
  });

async function permission(life: Life): Promise<void> {
  const turn = await beginTurn(life, 'asks');
  const [file = ''] = filesOf(turn, 0);
  await decide(life, file);
  await untilCreated(life, [file]);
  await untilIdle(life);
  if (life.decided.get(file) === true) expectMemory(life, turn);
}

async function agents(life: Life): Promise<void> {
  const files = await askingAgents(life);
  if (life.random.next() < 0.3) await restartServer(life);
  for (const left = [...files]; left.length > 0; ) {
    const file = life.type === 'json' ? life.random.pick(left as [string, ...string[]]) : await inFront(life);
    await decide(life, file);
    left.splice(left.indexOf(file), 1);
  }
  await untilCreated(life, files);
  // The next step may begin while the agents report what they did.
  if (life.random.next() < 0.5) await untilIdle(life);
}

/** Begins a turn whose agents ask. Resolves when all of them ask. */
async function askingAgents(life: Life): Promise<readonly string[]> {
  const count = life.random.int(1, 3);
  const turn = await beginTurn(life, 'agents', count);
  await waitFor(() => isAnswered(life, turn) && requestsOf(life, turn).length > 1, {
    describe: 'the turn is over',
    timeoutMs: PATIENCE_MS,
  });
  expectMemory(life, turn);
  const files = filesOf(turn, count);
  for (const file of files) life.agents.add(file);
  const seen = life.type === 'json' ? files.length : 1;
  await until(
    life,
    (one) => files.filter((file) => questionFor(one, file) !== undefined).length >= seen,
    `${seen} of ${count} agents ask`,
  );
  return files;
}

/** Returns the file about which the question is that a terminal shows. Only that question can be answered there. */
async function inFront(life: Life): Promise<string> {
  const { status } = await until(
    life,
    ({ status: { question } }) => question !== null && !life.decided.has(fileOf(question)),
    'shows a question',
  );
  return status.question === null ? '' : fileOf(status.question);
}

async function askedAtDeath(life: Life): Promise<void> {
  await askingAgents(life);
  const { pid } = await life.cbos.session(SLUG);
  process.kill(pid ?? 0, 'SIGKILL');
  await untilDead(life);
}

/** Resolves when a session whose process was killed reports its end, and asks nothing more. */
async function untilDead(life: Life): Promise<void> {
  life.agents.clear();
  await until(life, ({ pid, status }) => pid === null && openQuestions(status).length === 0, 'has no process');
  if (life.type === 'screen') {
    await until(life, ({ ended }) => ended !== undefined, 'says how it ended');
    life.hasEnded = true;
  }
}

async function interrupt(life: Life): Promise<void> {
  const turn = await beginTurn(life, 'slow');
  await waitFor(
    () =>
      life.world.apiEvents.some(
        ({ kind, request }) => kind === 'text' && request === requestsOf(life, turn).at(-1)?.request,
      ),
    {
      describe: 'the model answers',
      timeoutMs: PATIENCE_MS,
    },
  );
  await run(life, 'interrupt', SLUG);
  await untilIdle(life);
}

async function kill(life: Life): Promise<void> {
  await bringBack(life);
  if (life.random.next() < 0.5) await beginTurn(life, 'slow');
  const { pid } = await life.cbos.session(SLUG);
  if (pid === null) return;
  process.kill(pid, 'SIGKILL');
  await untilDead(life);
}

async function restartServer(life: Life): Promise<void> {
  await life.cbos.stop('SIGKILL');
  life.cbos = await startCbos(life.world, SERVER);
}

async function killServer(life: Life): Promise<void> {
  const turn = await beginTurn(life, 'slow');
  await restartServer(life);
  const waited = await life.cbos.cli(['wait', SLUG]);
  must(waited.code === 0, 'the wait for the turn succeeds', waited);
  must(isAnswered(life, turn), `cbos wait returns after turn ${turn}`, waited);
  expectMemory(life, turn);
}

async function sleep(life: Life): Promise<void> {
  await bringBack(life);
  await untilIdle(life);
  if (life.type === 'json') {
    await until(life, ({ pid }) => pid === null, 'is asleep');
  } else if (life.random.next() < 0.5) {
    await run(life, 'park', SLUG);
  } else {
    await run(life, 'stop', SLUG);
    life.hasEnded = true;
  }
}

async function convert(life: Life): Promise<void> {
  await bringBack(life);
  await untilIdle(life);
  const type = life.type === 'json' ? 'screen' : 'json';
  await run(life, 'convert', SLUG, type);
  life.type = type;
  await untilIdle(life);
}

async function loseTranscript(life: Life): Promise<void> {
  await sleep(life);
  const { claude_session_id: sessionId } = await life.cbos.session(SLUG);
  const configDirs = [join(life.world.home, '.claude')];
  const file = await findTranscript({ sessionId: sessionId ?? '', configDirs, reported: null });
  must(file !== null, 'the session has a transcript', sessionId);
  renameSync(file, `${file}.cleaned`);
  const command = life.hasEnded ? ['restart', SLUG] : ['send', SLUG, 'turn into nothing'];
  const refused = await life.cbos.cli(command);
  must(refused.code !== 0 && refused.stderr.includes('--new-conversation'), 'CBOS refuses to continue', refused);
  if (life.random.next() < 0.5) {
    renameSync(`${file}.cleaned`, file);
    return;
  }
  await run(life, 'restart', SLUG, '--new-conversation');
  life.hasEnded = false;
  life.remembered = [];
  await untilIdle(life);
}
