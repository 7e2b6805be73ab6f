import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery, Session } from '../../../src/protocol/index.ts';
import { type ApiResult, type Cbos, startCbos } from '../../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../../harness/claude.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { keepEvidence } from '../../torture/keep-evidence.ts';
import { choosePlay, promptText } from '../../torture/plays.ts';
import { createRandom, type Random } from '../../torture/random.ts';
import { createWitness, type Witness } from '../../torture/witness.ts';

export interface KillsOptions {
  seed: number;
  kills: number;
  sessions: number;
  clients: number;
  /** called after each kill, when the next server has started */
  onKill: (run: Pick<KillsRun, 'kills' | 'texts'>) => void;
}

/** A text that a client wants delivered, and what the client last learned about it. */
export interface WantedText {
  mark: string;
  session: string;
  text: string;
  queue: boolean;
  /** the key of its last request; the client takes a new one only after a definite failure */
  key: string;
  /** how many times the same request was made */
  requests: number;
  /** the definite failures that the client learned of; it sent the text again after each */
  failures: string[];
  told: Pick<Delivery, 'id' | 'status' | 'note'> | null;
}

export interface KillsRun {
  texts: readonly WantedText[];
  kills: number;
  faults: readonly string[];
}

/**
 * Turns that end on their own. None is interrupted, because an interrupt may take a text away. None asks, because
 * somebody would have to answer the dialog between two kills. The torture test has both.
 */
const PLAYS = ['hello', 'think', 'long', 'query', 'tools', 'fail'] as const;
/** Multiplies the delays of the scenes. */
const PACE = 0.4;
/** The time between the first answer of a server and its SIGKILL. */
const LIFE_MS = { low: 50, high: 4_000 };
const CLIENT_PAUSE_MS = 600;
const RETRY_MS = 150;
/** A text of this size takes half a second to type, and does not fit into the window. */
const LARGE = `large ${'words over words over words '.repeat(300)}end`;
/** One text in this many is that large. */
const LARGE_IN = 15;
/**
 * How long nothing must change at the end before the run gives up. On a loaded machine a turn takes seconds, and each
 * text waits for its own turn.
 */
const STANDSTILL_MS = 120_000;
/** Of this many texts, one may end as unknown. */
export const UNKNOWN_IN = 50;

/**
 * Real sessions, clients that send texts, and a server that is killed at random moments. Each client repeats each
 * request with its key until it learns the outcome. The truth is what the stand-in for the model received.
 */
export async function runKills(options: KillsOptions): Promise<KillsRun> {
  const witness = createWitness();
  const texts: WantedText[] = [];
  await using world = await claudeWorld({ choosers: [choosePlay], pace: PACE });
  world.onApiEvent((event) => {
    if (event.kind === 'request') witness.see(event);
    // Each request contains the whole conversation.
    world.apiEvents.length = 0;
  });
  const keep = (): string => keepEvidence(world, `kills-${options.seed}-${options.kills}`, texts);
  try {
    const run = await new Play(world, witness, texts, options).run();
    return run.faults.length === 0 ? run : { ...run, faults: [...run.faults, `its evidence is in ${keep()}`] };
  } catch (error) {
    throw new Error(`${String(error)}\nits evidence is in ${keep()}`, { cause: error });
  }
}

class Play {
  readonly #faults: string[] = [];
  readonly #slugs: [string, ...string[]];
  #cbos: Cbos | null = null;
  #kills = 0;

  constructor(
    readonly world: ClaudeWorld,
    readonly witness: Witness,
    readonly texts: WantedText[],
    readonly options: KillsOptions,
  ) {
    this.#slugs = ['S0', ...Array.from({ length: options.sessions - 1 }, (_, index) => `S${index + 1}`)];
  }

  async run(): Promise<KillsRun> {
    const { seed, clients } = this.options;
    this.#cbos = await startCbos(this.world);
    for (const slug of this.#slugs) {
      const body = { slug, type: 'screen', path: this.world.projectDir };
      const created = await this.#cbos.call<Session>('POST', '/sessions', body);
      if (created.error !== null) throw new Error(created.error.message);
      await this.#cbos.untilStatus(slug, 'idle/ready');
    }
    await Promise.all([
      this.#kill(createRandom(seed)),
      ...Array.from({ length: clients }, (_, index) => this.#send(`c${index}`, createRandom(seed + index + 1))),
    ]);
    await this.#settle();
    const faults = [...this.#faults, ...this.witness.faults(), ...textFaults(this.texts, this.witness)];
    return { texts: this.texts, kills: this.#kills, faults };
  }

  async #kill(random: Random): Promise<void> {
    for (; this.#kills < this.options.kills && this.#faults.length === 0; this.#kills += 1) {
      await delay(random.int(LIFE_MS.low, LIFE_MS.high));
      const killed = this.#cbos;
      // No client may continue to use the old port, because another server may have it by now.
      this.#cbos = null;
      await killed?.stop('SIGKILL');
      this.#cbos = await startCbos(this.world);
      this.options.onKill({ kills: this.#kills + 1, texts: this.texts });
    }
  }

  /**
   * One client. It sends one text after the other, and in between it repeats the requests whose outcome it does not
   * know.
   */
  async #send(name: string, random: Random): Promise<void> {
    for (let count = 1; this.#kills < this.options.kills && this.#faults.length === 0; count += 1) {
      await delay(random.int(0, CLIENT_PAUSE_MS));
      const session = random.pick(this.#slugs);
      const mark = `${session}.${name}.${count}`;
      const play = random.pick(PLAYS);
      const text = random.int(1, LARGE_IN) === 1 ? `‹${mark}› play:${play} ${LARGE}` : promptText(random, mark, play);
      this.witness.announce(mark, text);
      const queue = random.int(0, 2) === 0;
      const wanted: WantedText = { mark, session, text, queue, key: mark, requests: 0, failures: [], told: null };
      this.texts.push(wanted);
      await this.#request(wanted);
      const open = this.texts.filter((one) => one.mark.split('.')[1] === name && !isOver(one));
      for (const one of open) await this.#request(one);
    }
  }

  /**
   * Makes the request until a server answers it with something other than "not now". Records a fault if none ever does.
   */
  async #request(wanted: WantedText): Promise<void> {
    const until = performance.now() + STANDSTILL_MS;
    for (let refusal: unknown = null; ; await delay(RETRY_MS)) {
      if (performance.now() > until) {
        this.#faults.push(`${wanted.mark} is refused for ever: ${JSON.stringify(refusal)}`);
        return;
      }
      const { session, text, queue, key } = wanted;
      wanted.requests += 1;
      const body = { text, idempotency_key: key, ...(queue ? { queue } : {}) };
      const answer = await unlessKilled(this.#cbos?.call<Delivery>('POST', `/sessions/${session}/send`, body));
      if (answer !== null && answer.error === null) {
        const { id, status, note } = answer.body;
        wanted.told = { id, status, note };
        if (status !== 'failed') return;
        wanted.failures.push(note ?? 'no reason');
        wanted.key = `${wanted.mark}-${wanted.failures.length}`;
      } else if (answer !== null && answer.error?.code !== 'not_accepting_text') {
        this.#faults.push(`${wanted.mark}: ${answer.error?.code}: ${answer.error?.message}`);
        return;
      } else refusal = answer?.error ?? refusal;
    }
  }

  /** Repeats every request until the outcome of each text is known, and each text reported as delivered has arrived. */
  async #settle(): Promise<void> {
    let progress = '';
    let since = performance.now();
    const isOut = (wanted: WantedText): boolean =>
      isOver(wanted) && (wanted.told?.status !== 'delivered' || hasArrived(wanted, this.witness));
    while (!this.texts.every(isOut)) {
      for (const wanted of this.texts.filter((one) => !isOver(one))) await this.#request(wanted);
      const now = this.texts.map((one) => `${one.told?.status}${isOut(one)}`).join();
      if (now !== progress) since = performance.now();
      progress = now;
      if (performance.now() - since > STANDSTILL_MS) break;
      await delay(RETRY_MS);
    }
    await Promise.all(this.#slugs.map((slug) => this.#last(slug)));
  }

  /** The request of a last prompt contains the whole conversation, so it also shows texts that arrived late. */
  async #last(slug: string): Promise<void> {
    const mark = `${slug}.last.1`;
    const wanted: WantedText = {
      ...{ mark, session: slug, text: `‹${mark}› play:hello`, queue: true },
      ...{ key: mark, requests: 0, failures: [], told: null },
    };
    this.witness.announce(mark, wanted.text);
    this.texts.push(wanted);
    await this.#request(wanted);
    await waitFor(() => hasArrived(wanted, this.witness), {
      describe: `${slug} gets its last prompt`,
      actual: () => JSON.stringify(wanted),
      timeoutMs: STANDSTILL_MS,
    });
    await this.#request(wanted);
  }
}

const isOver = ({ told }: WantedText): boolean => told?.status === 'delivered' || told?.status === 'unknown';

const hasArrived = ({ mark, session }: WantedText, witness: Pick<Witness, 'arrived'>): boolean =>
  witness.arrived(session).includes(mark);

/** Returns the texts that broke the promise. The witness itself reports a text that arrived twice or altered. */
export function textFaults(texts: readonly WantedText[], witness: Pick<Witness, 'arrived'>): string[] {
  const faults = texts.flatMap((wanted) => {
    const { told, mark } = wanted;
    const said = `${mark}: ${JSON.stringify(wanted.told)} after ${wanted.requests} requests`;
    if (told?.status === 'unknown') return told.note === null ? [`unknown without a word: ${said}`] : [];
    if (told?.status !== 'delivered') return [`no end: ${said}`];
    return hasArrived(wanted, witness) ? [] : [`told to be delivered and never came: ${said}`];
  });
  const unknown = texts.filter(({ told }) => told?.status === 'unknown');
  if (unknown.length > texts.length / UNKNOWN_IN) {
    const which = unknown.map((one) => {
      const came = hasArrived(one, witness) ? 'came' : 'did not come';
      return `${one.mark} ${came}: ${one.told?.note}`;
    });
    faults.push(`${unknown.length} of ${texts.length} are unknown:\n  ${which.join('\n  ')}`);
  }
  return faults;
}

/** Returns null if the server was killed during the request. */
async function unlessKilled<T>(call: Promise<ApiResult<T>> | undefined): Promise<ApiResult<T> | null> {
  try {
    return (await call) ?? null;
  } catch (error) {
    // `fetch` throws a TypeError if the connection is refused or cut, and a SyntaxError if the answer is cut.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
