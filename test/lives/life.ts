import { openQuestions, type Session } from '../../src/protocol/index.ts';
import { type Cbos, type CliResult, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import type { Random } from '../torture/random.ts';
import type { LifeWorld } from './life-world.ts';
import { answerOf, markOf, promptOf, type TurnKind } from './scenes.ts';

export const SLUG = 'LIFE';

/** A session on a loaded machine, with four others beside it. */
export const PATIENCE_MS = 90_000;

/** A session that lives, and what its conversation must contain. */
export interface Life {
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

/** A second, so that a JSON session is asleep soon after each turn. */
export const SERVER = { CBOS_JSON_IDLE_TIMEOUT: '1' };

export function must(condition: boolean, what: string, actual: unknown = ''): asserts condition {
  if (!condition) throw new Error(`it does not hold that ${what}: ${JSON.stringify(actual)}`);
}

export const until = (life: Life, condition: (session: Session) => boolean, describe: string): Promise<Session> =>
  life.cbos.until(SLUG, condition, describe, PATIENCE_MS);

/** Resolves when the session is idle, and the model has heard from all agents. Each of their ends begins a turn. */
export async function untilIdle(life: Life): Promise<void> {
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
export async function run(life: Life, ...args: string[]): Promise<CliResult> {
  const result = await life.cbos.cli(args);
  must(result.code === 0, `cbos ${args.join(' ')} succeeds`, result);
  return result;
}

/** Restarts the session if it has ended; a prompt wakes one that is asleep. */
export async function bringBack(life: Life): Promise<void> {
  if (!life.hasEnded) return;
  const { stdout } = await run(life, 'restart', SLUG);
  must(
    /resuming its conversation|its conversation is new/.test(stdout),
    'the restart continues the conversation',
    stdout,
  );
  life.hasEnded = false;
  await untilIdle(life);
}

/** The requests of a turn, without those of its agents. */
export const requestsOf = ({ world }: Life, turn: number) =>
  world.apiEvents.flatMap((event) => (event.kind === 'request' && event.prompt.includes(markOf(turn)) ? [event] : []));

/** Whether the model has been asked for the last answer of a turn, and has given it. */
export function isAnswered(life: Life, turn: number): boolean {
  const last = requestsOf(life, turn).at(-1)?.request;
  return life.world.apiEvents.some(({ kind, request }) => kind === 'end' && request === last);
}

/** The conversation that the model got with the last request of a turn. */
export const toldIn = (life: Life, turn: number): string => JSON.stringify(requestsOf(life, turn).at(-1));

/** Checks that the model gets every earlier turn with this one. */
export function expectMemory(life: Life, turn: number): void {
  const told = toldIn(life, turn);
  const forgotten = life.remembered.filter((one) => !told.includes(markOf(one)));
  must(forgotten.length === 0, `turn ${turn} continues the conversation`, { forgotten, of: life.remembered });
  life.remembered.push(turn);
}

/** Runs a whole turn with `send --wait` or `invoke`, and checks that its answer is printed once the turn is over. */
export async function wholeTurn(life: Life, kind: TurnKind, answer = answerOf(life.turn + 1)): Promise<void> {
  await bringBack(life);
  life.turn += 1;
  const prompt = promptOf(life.turn, kind);
  const isInvoked = life.type === 'json' && life.random.next() < 0.3;
  if (isInvoked) await untilIdle(life);
  const { stdout } = await run(life, ...(isInvoked ? ['invoke', SLUG, prompt] : ['send', SLUG, prompt, '--wait']));
  must(isAnswered(life, life.turn), `the command returns after turn ${life.turn}`, stdout);
  must(stdout.trim().endsWith(answer), `the command prints the answer of turn ${life.turn}`, stdout);
  expectMemory(life, life.turn);
}

/** Sends a prompt whose turn is not waited for. Resolves when the model has the prompt. */
export async function beginTurn(life: Life, kind: TurnKind, agents = 0): Promise<number> {
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

/** Resolves when a session whose process was killed reports its end, and asks nothing more. */
export async function untilDead(life: Life): Promise<void> {
  life.agents.clear();
  await until(life, ({ pid, status }) => pid === null && openQuestions(status).length === 0, 'has no process');
  if (life.type === 'screen') {
    await until(life, ({ ended }) => ended !== undefined, 'says how it ended');
    life.hasEnded = true;
  }
}

export async function restartServer(life: Life): Promise<void> {
  await life.cbos.stop('SIGKILL');
  life.cbos = await startCbos(life.world, SERVER);
}
