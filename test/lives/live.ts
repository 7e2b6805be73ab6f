import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findTranscript } from '../../src/platform/claude/index.ts';
import { openQuestions, type Session } from '../../src/protocol/index.ts';
import { answersOf, askingArguments } from '../harness/asking-server.ts';
import { startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { keepEvidence } from '../torture/keep-evidence.ts';
import { createRandom } from '../torture/random.ts';
import {
  beginTurn,
  bringBack,
  expectMemory,
  isAnswered,
  type Life,
  must,
  PATIENCE_MS,
  requestsOf,
  restartServer,
  run,
  SERVER,
  SLUG,
  toldIn,
  until,
  untilDead,
  untilIdle,
  wholeTurn,
} from './life.ts';
import { lifeWorld, REFUSED_WORD } from './life-world.ts';
import {
  askingAgents,
  beginAgents,
  commandOf,
  decide,
  decideAll,
  expectDecisions,
  untilAsked,
  untilCreated,
} from './questions.ts';
import { ANSWER_TO_BLOCK, filesOf, markOf, promptOf } from './scenes.ts';

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
  /** an MCP server asks the user to fill in a form */
  form,
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
  /** the user interrupts while agents ask */
  interruptAgents,
  /** Claude Code is killed, in a turn or between two */
  kill,
  /** the server is killed in a turn, and starts again */
  killServer,
  /** the process ends in the usual way: idle time-out, parking, or stop */
  sleep,
  /** everything is killed, and the sessions are restored */
  reboot,
  /** a JSON session gets a terminal, or gives it back */
  convert,
  /** a copy of the conversation continues in another session */
  fork,
  /** the user begins another conversation */
  clear,
  /** a prompt is held while agents ask */
  heldPrompt,
  /** the transcript is gone when the session is to continue */
  loseTranscript,
} as const;

type StepName = keyof typeof STEPS;

const WEIGHTS: Readonly<Record<StepName, number>> = {
  turn: 3,
  permission: 3,
  agents: 5,
  askedAtDeath: 2,
  form: 4,
  blockedStop: 2,
  refusedPrompt: 2,
  enterWorktree: 2,
  changeFolder: 2,
  interrupt: 2,
  interruptAgents: 2,
  kill: 3,
  killServer: 2,
  sleep: 4,
  reboot: 2,
  convert: 2,
  fork: 1,
  clear: 1,
  heldPrompt: 3,
  loseTranscript: 2,
};

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
    const body = { slug: SLUG, path: world.projectDir, type, permission_mode: 'default', args: askingArguments(world) };
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

async function permission(life: Life): Promise<void> {
  const turn = await beginTurn(life, 'asks');
  const [file = ''] = filesOf(turn, 0);
  await decide(life, file);
  await untilCreated(life, [file]);
  await untilIdle(life);
  if (life.decided.get(file) === true) expectMemory(life, turn);
}

async function form(life: Life): Promise<void> {
  const { world, random } = life;
  const before = answersOf(world).length;
  const turn = await beginTurn(life, 'form');
  const isForm = (one: Session): boolean => openQuestions(one.status).some(({ kind }) => kind === 'form');
  await until(life, isForm, 'asks to fill in a form');
  if (random.next() < 0.3) {
    await restartServer(life);
    await until(life, isForm, 'still asks to fill in the form');
  }
  const isAccepted = random.next() < 0.6;
  await run(life, 'answer', SLUG, ...(isAccepted ? ['--set', 'environment=production'] : ['no']));
  await waitFor(() => answersOf(world).length > before, { describe: 'the MCP server has the answer' });
  const answer = answersOf(world).at(-1);
  const content = { environment: 'production', count: 2, dry: true };
  const expected = isAccepted ? { action: 'accept', content } : { action: 'decline' };
  must(isDeepStrictEqual(answer, expected), 'the MCP server gets the answer that was given', answer);
  await untilIdle(life);
  must(isAnswered(life, turn), `turn ${turn} is over when the session is idle`);
  expectMemory(life, turn);
}

async function agents(life: Life): Promise<void> {
  const files = await askingAgents(life);
  if (life.random.next() < 0.3) await restartServer(life);
  await decideAll(life, files);
  // The next step may begin while the agents report what they did.
  if (life.random.next() < 0.5) await untilIdle(life);
}

async function askedAtDeath(life: Life): Promise<void> {
  await askingAgents(life);
  const { pid } = await life.cbos.session(SLUG);
  process.kill(pid ?? 0, 'SIGKILL');
  await untilDead(life);
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

async function interruptAgents(life: Life): Promise<void> {
  const files = await askingAgents(life);
  const refused = await life.cbos.cli(['interrupt', SLUG]);
  must(refused.code === 4, 'an interrupt is refused, because it would dismiss the questions', refused);
  await decideAll(life, files);
}

async function kill(life: Life): Promise<void> {
  await bringBack(life);
  if (life.random.next() < 0.5) await beginTurn(life, 'slow');
  const { pid } = await life.cbos.session(SLUG);
  if (pid === null) return;
  process.kill(pid, 'SIGKILL');
  await untilDead(life);
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
    // Right after its start, Claude Code runs a command of its own, and is not parked then.
    await waitFor(async () => (await life.cbos.cli(['park', SLUG])).code === 0, {
      describe: 'it is parked',
      timeoutMs: PATIENCE_MS,
    });
  } else {
    await run(life, 'stop', SLUG);
    life.hasEnded = true;
  }
}

/** Kills the server, Screen and Claude Code at once and without warning, and restores the session. */
async function reboot(life: Life): Promise<void> {
  await bringBack(life);
  const isBusy = life.random.next() < 0.5;
  if (isBusy) await beginTurn(life, 'slow');
  else await untilIdle(life);
  const isTerminal = life.type === 'screen' && (await life.cbos.session(SLUG)).pid !== null;
  for (const { pid } of life.world.processes()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended together with the previous one.
    }
  }
  await restartServer(life);
  if (isTerminal) await until(life, ({ state }) => state === 'dead', 'is lost');
  const restored = await run(life, 'restore', '--yes');
  if (isTerminal) must(restored.stdout.includes(SLUG), 'the session is restored', restored);
  await untilIdle(life);
}

const COPY = 'COPY';

async function fork(life: Life): Promise<void> {
  await bringBack(life);
  await untilIdle(life);
  life.turn += 1;
  const { turn, remembered } = life;
  await run(life, 'fork', SLUG, COPY, '--same-folder', '--prompt', promptOf(turn, 'plain'));
  await waitFor(() => isAnswered(life, turn), { describe: 'the copy answers', timeoutMs: PATIENCE_MS });
  expectMemory(life, turn);
  life.remembered = remembered.filter((one) => one !== turn);
  must((await life.cbos.call('DELETE', `/sessions/${COPY}`)).error === null, 'the copy is removed');
}

async function clear(life: Life): Promise<void> {
  if (life.type !== 'screen') return turn(life);
  await bringBack(life);
  await untilIdle(life);
  await run(life, 'send', SLUG, '--command', '--wait', '/clear');
  life.remembered = [];
  await wholeTurn(life, 'plain');
  must(!toldIn(life, life.turn).includes(markOf(1)), 'the conversation was cleared');
}

async function heldPrompt(life: Life): Promise<void> {
  const { files } = await beginAgents(life);
  const sent = await life.cbos.cli(['send', SLUG, promptOf(life.turn + 1, 'plain'), '--queue']);
  // An agent may have asked already. A prompt is not accepted while a question is open.
  must(sent.code === 0 || sent.stderr.includes('Answer it first'), 'the prompt is held or refused', sent);
  await untilAsked(life, files);
  await decideAll(life, files);
  if (sent.code !== 0) return untilIdle(life);
  life.turn += 1;
  await waitFor(() => isAnswered(life, life.turn), { describe: 'the held prompt is answered', timeoutMs: PATIENCE_MS });
  const arrivals = requestsOf(life, life.turn).filter(({ step }) => step === 0);
  must(arrivals.length === 1, 'the held prompt arrives once', arrivals.length);
  expectMemory(life, life.turn);
  await untilIdle(life);
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
  await turn(life);
}
