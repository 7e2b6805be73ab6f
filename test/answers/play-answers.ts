import type { Scene } from '../../src/demo/scenes/scene.ts';
import type { Question, Status } from '../../src/protocol/index.ts';
import { type Answering, replyWith, sceneOf, startAnswering, toolResults } from '../harness/answering.ts';
import type { Watcher } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Asking, KINDS, type Mode, PLAN_KINDS, timesRun } from './kinds.ts';

/** An answer that was given. */
export interface Given {
  kind: string;
  /** what went wrong; null if the answer was taken as intended */
  fault: string | null;
  /** from the request to the response */
  tookMs: number;
  /** how often the server refused the answer because another question was open */
  refused: number;
  /** how many times Screen typed something between this question and the next one, or the end of the turn */
  typed: number;
}

export interface PlayOptions {
  /** the number of answers, spread evenly over the kinds */
  count: number;
  byKeys: boolean;
}

interface Due {
  kind: string;
  mark: string;
  asking: Asking;
}

/**
 * One session for plans and two for everything else. Each Claude Code takes 250 MB, and all of them share two cores.
 */
const LANES = ['PLANS', 'ONE', 'OTHER'] as const;
type LaneName = (typeof LANES)[number];

/** At a load of 40 a start took 40 s. */
const START_MS = 120_000;

const REFUSED_AS_ANOTHER: ReadonlySet<string> = new Set(['no_question', 'stale_question']);
const MOST_REFUSALS = 3;

/** No person answers more questions in one turn. */
const MOST_IN_A_TURN = 12;

/** Shift+Tab cycles through the permission modes. */
const NEXT_MODE = '\x1b[Z';
const MOST_MODES = 5;

/** For versions that keep the plan in a file. */
const WRITE_PLAN = replyWith({
  kind: 'tool',
  name: 'Write',
  input: { file_path: '{plan_file}', content: '# Plan\n\n1. Add the endpoint.\n' },
});
const DONE = replyWith({ kind: 'text', text: 'Done.' });

/** Makes real sessions ask, and answers them. An error with an answer is part of the result. */
export async function playAnswers({ count, byKeys }: PlayOptions): Promise<Given[]> {
  const scenes = new Map<string, Scene>();
  const choose = (prompt: string): Scene | null => scenes.get(/\bturn:(\w+)/.exec(prompt)?.[1] ?? '') ?? null;
  const answering = await startAnswering({ choosers: [choose], projects: LANES, byKeys });
  try {
    const watcher = await answering.cbos.watch();
    const playing = LANES.map((name) => {
      const project = answering.world.project(name);
      return new Lane({ answering, watcher, scenes, name, project }).play(dueIn(name, { count, project }));
    });
    return (await Promise.all(playing)).flat();
  } finally {
    await answering.world.dispose();
  }
}

/** Returns the answers that one session gives. Its marks are unique. */
function dueIn(lane: LaneName, { count, project }: { count: number; project: string }): Due[] {
  const kinds = Object.entries({ ...KINDS, ...PLAN_KINDS });
  const all = Array.from({ length: count }, (_, number) => ({ number, round: Math.floor(number / kinds.length) }));
  return all.flatMap(({ number, round }) => {
    const [kind, make] = kinds[number % kinds.length] ?? [];
    if (kind === undefined || make === undefined) return [];
    const own = kind in PLAN_KINDS ? 'PLANS' : round % 2 === 0 ? 'ONE' : 'OTHER';
    const mark = `m${number}`;
    return own === lane ? [{ kind, mark, asking: make({ mark, project }) }] : [];
  });
}

interface LaneOptions {
  answering: Answering;
  watcher: Watcher;
  /** the scenes of the stand-in, by the name in the prompt */
  scenes: Map<string, Scene>;
  name: LaneName;
  project: string;
}

/** A session, which is replaced by a new one after an answer went wrong. */
class Lane {
  readonly #options: LaneOptions;
  #sessions = 0;
  #turns = 0;
  /** null if the next turn needs a new session */
  #slug: string | null = null;
  #answered: Question | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async play(due: readonly Due[]): Promise<Given[]> {
    const given: Given[] = [];
    while (given.length < due.length) {
      const rest = due.slice(given.length, given.length + MOST_IN_A_TURN);
      const last = rest.findIndex(({ asking }) => asking.isLast);
      const turn = await this.#playTurn(last < 0 ? rest : rest.slice(0, last + 1)).catch((error: unknown) => [
        failed(rest[0]?.kind ?? '', String(error)),
      ]);
      given.push(...turn);
      for (const { kind, fault } of turn) if (fault !== null) process.stdout.write(`${kind}: ${fault}\n`);
      if (turn.some(({ fault }) => fault !== null)) await this.#endSession();
    }
    return given;
  }

  /** @returns one entry for each answer, up to and including the first that went wrong */
  async #playTurn(due: readonly Due[]): Promise<Given[]> {
    const { answering, name } = this.#options;
    const isNew = this.#slug === null;
    const slug = this.#slug ?? (await this.#startSession());
    this.#slug = slug;
    if (name === 'PLANS') await this.#switchTo('plan', slug);
    const before = name === 'PLANS' && isNew ? [WRITE_PLAN] : [];
    const turn = await this.#prompt(slug, [
      ...before,
      ...due.flatMap(({ asking }) => asking.calls.map((call) => replyWith(call))),
    ]);
    const typed = (): number => answering.typed.calls(slug).length;
    const given: Given[] = [];
    let counted = typed();
    for (const one of due) {
      const answer = await this.#answer(slug, one);
      given.push(answer);
      answer.typed = typed() - counted;
      counted += answer.typed;
      if (answer.fault !== null) return given;
    }
    const faults = await this.#faultsOf(turn, { slug, due, before: before.length });
    for (const [index, answer] of given.entries()) answer.fault = faults[index] ?? null;
    const last = given.at(-1);
    if (last !== undefined) last.typed += typed() - counted;
    return given;
  }

  async #startSession(): Promise<string> {
    const { answering, name, project } = this.#options;
    this.#sessions += 1;
    const slug = `${name}-${this.#sessions}`;
    const mode = name === 'PLANS' ? { permission_mode: 'plan' } : {};
    const body = { slug, type: 'screen', path: project, ...mode };
    const { error } = await answering.cbos.call('POST', '/sessions', body);
    if (error !== null) throw new Error(error.message);
    await answering.cbos.untilStatus(slug, 'idle/ready', START_MS);
    if (name === 'PLANS') await this.#untilMode('plan', slug);
    return slug;
  }

  async #endSession(): Promise<void> {
    await this.#options.answering.cbos.call('POST', `/sessions/${this.#slug}/kill`);
    this.#slug = null;
  }

  /** Begins a turn with these replies of the model. @returns a text that only its prompt contains */
  async #prompt(slug: string, replies: readonly ReturnType<typeof replyWith>[]): Promise<string> {
    const { answering, scenes, name } = this.#options;
    this.#turns += 1;
    const turn = `${name}${this.#turns}`;
    scenes.set(turn, sceneOf(turn, ...replies, DONE));
    const { error } = await answering.cbos.call('POST', `/sessions/${slug}/send`, { text: `Play turn:${turn} now` });
    if (error !== null) throw new Error(error.message);
    return `turn:${turn} `;
  }

  async #answer(slug: string, { kind, asking }: Due): Promise<Given> {
    const from = performance.now();
    for (let refused = 0; ; refused += 1) {
      const question = await this.#opened(slug).catch(String);
      if (typeof question === 'string') return failed(kind, question);
      const told = this.#statusesOf(slug).length;
      const body = { ...asking.answer(question), question_id: question.id };
      const { error } = await this.#options.answering.cbos.call('POST', `/sessions/${slug}/answer`, body);
      if (error === null) {
        this.#answered = question;
        return { kind, fault: null, tookMs: performance.now() - from, typed: 0, refused };
      }
      // On a loaded machine a question may be reported by its dialog first and then, as a different question, by its
      // hook.
      const isOfAnother = REFUSED_AS_ANOTHER.has(error.code) && refused < MOST_REFUSALS;
      if (!isOfAnother) return failed(kind, `${error.code}: ${error.message}\n${this.#told(slug)}`);
      await waitFor(() => this.#statusesOf(slug).length > told, { describe: `${slug} says more` }).catch(() => null);
    }
  }

  /** Returns the last state of a session that clients received, for an error message. */
  #told(slug: string): string {
    const lines = this.#statusesOf(slug).map(
      ({ primary, detail, question, because }) =>
        `${primary}/${detail} ${question?.id ?? '-'} ${because.rule}: ${because.evidence}`,
    );
    return lines.slice(-6).join('\n');
  }

  #statusesOf(slug: string): Status[] {
    const { frames } = this.#options.watcher;
    return frames.flatMap((frame) => (frame.type === 'session_state' && frame.session === slug ? [frame.status] : []));
  }

  async #opened(slug: string): Promise<Question> {
    const asked = (): Question | null => {
      const question = this.#statusesOf(slug).at(-1)?.question ?? null;
      const isNext = question !== null && question.options.length > 0 && question.id !== this.#answered?.id;
      return isNext ? question : null;
    };
    return waitFor(asked, { describe: `${slug} asks`, actual: () => this.#told(slug) });
  }

  /** Returns what is wrong with each answer of a turn, as far as the end of the turn shows it. */
  async #faultsOf(
    turn: string,
    { slug, due, before }: { slug: string; due: readonly Due[]; before: number },
  ): Promise<(string | null)[]> {
    const { answering, project } = this.#options;
    const last = due.at(-1);
    const told = before + due.flatMap(({ asking }) => asking.calls).length - (last?.asking.told === null ? 1 : 0);
    const results = (): string[] => toolResults(answering.world, turn);
    try {
      await answering.cbos.untilStatus(slug, 'idle/waiting_input');
      await waitFor(() => results().length >= told, { describe: `${turn} told ${told} results`, actual: results });
      if (last?.asking.mode !== undefined) await this.#untilMode(last.asking.mode, slug);
    } catch (error) {
      return due.map(() => String(error));
    }
    let at = before;
    return due.map(({ mark, asking }) => {
      const result = results()[at] ?? null;
      at += asking.calls.length;
      const ran = asking.ran === null ? null : timesRun({ mark, project });
      if (ran !== asking.ran) return `${mark} ran ${ran} times`;
      const isTold = asking.told === null ? result === null : result !== null && asking.told.test(result);
      return isTold ? null : `${mark}: the model was told ${result}`;
    });
  }

  async #switchTo(mode: Mode, slug: string): Promise<void> {
    const { cbos } = this.#options.answering;
    for (let presses = 0; presses <= MOST_MODES; presses += 1) {
      const now = modeOf((await cbos.session(slug)).buffer_tail);
      if (now === mode) return;
      await cbos.call('POST', `/sessions/${slug}/keys`, { keys: NEXT_MODE });
      await cbos.until(slug, ({ buffer_tail }) => modeOf(buffer_tail) !== now, `leaves the mode ${now}`);
    }
    throw new Error(`${slug} has no mode ${mode}`);
  }

  async #untilMode(mode: Mode, slug: string): Promise<void> {
    const { cbos } = this.#options.answering;
    await cbos.until(slug, ({ buffer_tail }) => modeOf(buffer_tail) === mode, `is in the mode ${mode}`);
  }
}

const failed = (kind: string, fault: string): Given => ({ kind, fault, tookMs: 0, typed: 0, refused: 0 });

function modeOf(screen: string | null): Mode {
  if (screen?.includes('plan mode on')) return 'plan';
  return screen?.includes('accept edits on') ? 'accept edits' : 'default';
}
