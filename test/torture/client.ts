import type { Delivery, Question, Session } from '../../src/protocol/index.ts';
import type { ApiResult, Cbos } from '../harness/cbos.ts';
import { CHOICES, PLAYS, promptText } from './plays.ts';
import type { Random } from './random.ts';
import type { Witness } from './witness.ts';

/** A text that a client gave to the server, and the answer of the server. */
export interface SentText {
  mark: string;
  session: string;
  sender: string;
  text: string;
  queue: boolean;
  /** the answer of the API; null if the server was killed during the request */
  answer: { id: string; status: string } | { refused: string } | null;
  from: number;
  to: number;
}

export interface GivenAnswer {
  session: string;
  question: Question;
  choice: string;
  /** `answered`, the code of the error, or null if the server was killed during the request */
  result: string | null;
  from: number;
  to: number;
}

export interface Interrupt {
  session: string;
  from: number;
  to: number;
  result: string | null;
}

/** Everything that the clients did. */
export interface Ledger {
  texts: SentText[];
  answers: GivenAnswer[];
  interrupts: Interrupt[];
  faults: string[];
  /** when the server was dead, in Unix milliseconds, once for each kill */
  killedAt: number[];
  /** the number of operations, by kind */
  count: Record<string, number>;
}

export const newLedger = (): Ledger => ({
  texts: [],
  answers: [],
  interrupts: [],
  faults: [],
  killedAt: [],
  count: {},
});

export function operationsOf(ledger: Ledger): number {
  return Object.values(ledger.count).reduce((sum, count) => sum + count, 0);
}

export interface ClientOptions {
  name: string;
  random: Random;
  ledger: Ledger;
  witness: Witness;
  slugs: readonly [string, ...string[]];
  /** returns the current server, which changes after a kill */
  cbos: () => Cbos;
  /** types as a person at the session's terminal does, without the server */
  typeAtTerminal: (slug: string, keys: string) => Promise<void>;
  isOver: () => boolean;
}

type Kind = 'send' | 'hold' | 'twice' | 'answer' | 'stale' | 'wrong' | 'interrupt' | 'look';

const WEIGHTS: Record<'asks' | 'runs' | 'ready', Partial<Record<Kind, number>>> = {
  asks: { answer: 60, stale: 10, wrong: 10, send: 12, hold: 4, interrupt: 4, look: 2 },
  runs: { send: 40, hold: 16, twice: 12, interrupt: 22, stale: 6, answer: 4, look: 4 },
  ready: { send: 58, hold: 16, twice: 14, interrupt: 6, stale: 6, look: 4 },
};

/**
 * The longest pause between two operations of one client. It is long enough that the next operation usually finds the
 * session in another state than the previous one left it in.
 */
const MAX_PAUSE_MS = 500;

/**
 * Plays one client that does random things until the run is over. The client waits for each answer, so the order of its
 * texts is known.
 */
export async function playClient(options: ClientOptions): Promise<void> {
  const { random, ledger, isOver } = options;
  let count = 0;
  while (!isOver()) {
    await pause(random.int(0, MAX_PAUSE_MS));
    const slug = random.pick(options.slugs);
    const session = await settled(options.cbos().call<Session>('GET', `/sessions/${slug}`));
    if (session === null) continue;
    const { primary, question } = session.body.status;
    const mood = question !== null && question.kind !== 'closing' ? 'asks' : primary === 'active' ? 'runs' : 'ready';
    const kind = random.weighted<Kind>(WEIGHTS[mood]);
    count += 1;
    ledger.count[kind] = (ledger.count[kind] ?? 0) + 1;
    const turn: Turn = { ...options, slug, question, mark: `${slug}.${options.name}.${count}` };
    if (kind === 'interrupt') await interrupt(turn);
    else if (kind === 'look') await look(turn);
    else if (kind === 'send' || kind === 'hold' || kind === 'twice') await send(turn, kind);
    else await answer(turn, kind);
  }
}

interface Turn extends ClientOptions {
  slug: string;
  question: Question | null;
  mark: string;
}

async function send(turn: Turn, kind: 'send' | 'hold' | 'twice'): Promise<void> {
  const { random, slug, mark, witness, ledger, name } = turn;
  const text = promptText(random, mark, random.pick(PLAYS));
  const queue = kind === 'hold';
  witness.announce(mark, text);
  const sent: SentText = { mark, session: slug, sender: name, text, queue, answer: null, from: Date.now(), to: 0 };
  ledger.texts.push(sent);
  const body = { text, ...(queue ? { queue } : {}), ...(kind === 'twice' ? { idempotency_key: mark } : {}) };
  const post = () => settled(turn.cbos().call<Delivery>('POST', `/sessions/${slug}/send`, body));
  const results = kind === 'twice' ? await Promise.all([post(), post()]) : [await post()];
  sent.to = Date.now();
  sent.answer = outcomeOf(results);
  const ids = new Set(results.flatMap((one) => (one === null || one.error !== null ? [] : [one.body.id])));
  if (ids.size > 1) ledger.faults.push(`${mark}: two deliveries for one idempotency key`);
  if (kind !== 'twice' || ids.size === 0) return;
  const other = await settled(turn.cbos().call('POST', `/sessions/${slug}/send`, { ...body, text: `${text} changed` }));
  if (other !== null && other.error?.code !== 'idempotency_conflict') {
    ledger.faults.push(
      `${mark}: another text with the same key was answered with ${other.error?.code ?? other.status}`,
    );
  }
}

function outcomeOf(results: readonly (ApiResult<Delivery> | null)[]): SentText['answer'] {
  const accepted = results.find((one) => one !== null && one.error === null);
  if (accepted != null) return { id: accepted.body.id, status: accepted.body.status };
  const refused = results.find((one) => one !== null);
  return refused == null || results.includes(null) ? null : { refused: refused.error?.code ?? String(refused.status) };
}

async function answer(turn: Turn, kind: 'answer' | 'stale' | 'wrong'): Promise<void> {
  const { random, slug, question, ledger } = turn;
  const call = (body: object) => settled(turn.cbos().call('POST', `/sessions/${slug}/answer`, body));
  if (kind === 'stale' || question === null) {
    const old = ledger.answers.findLast((one) => one.session === slug && one.question.id !== question?.id);
    const result = await call({ choice: 'yes', question_id: old?.question.id ?? 'never-asked' });
    const code = result === null ? null : (result.error?.code ?? 'answered');
    if (code !== null && code !== 'stale_question' && code !== 'no_question') {
      ledger.faults.push(`${slug}: an answer to an old question was ${code}`);
    }
    return;
  }
  if (kind === 'wrong' || question.kind === 'closing') {
    const result = await call({ choice: 9, question_id: question.id });
    if (result?.error === null) ledger.faults.push(`${slug}: an option that is not there was chosen`);
    return;
  }
  const choice: string = question.kind === 'question' ? random.pick(CHOICES) : random.pick(['yes', 'yes', 'no']);
  const given: GivenAnswer = { session: slug, question, choice, result: null, from: Date.now(), to: 0 };
  ledger.answers.push(given);
  const body = question.kind === 'question' ? { text: choice } : { choice };
  const result = await call({ ...body, question_id: question.id });
  given.to = Date.now();
  given.result = result === null ? null : (result.error?.code ?? 'answered');
}

async function interrupt({ slug, ledger, cbos }: Turn): Promise<void> {
  const done: Interrupt = { session: slug, from: Date.now(), to: Number.POSITIVE_INFINITY, result: null };
  ledger.interrupts.push(done);
  const result = await settled(cbos().call('POST', `/sessions/${slug}/interrupt`));
  // The queue must continue after an interrupt, because all texts must arrive in the end.
  await settled(cbos().call('POST', `/sessions/${slug}/queue/resume`));
  done.to = Date.now();
  done.result = result === null ? null : (result.error?.code ?? 'interrupted');
}

const TRANSCRIPT_KEY = '\x0f';
const TRANSCRIPT_SIGN = 'Showing detailed transcript';
const LONGEST_LOOK_MS = 600;
/**
 * A loaded machine may take this long to show the effect of the key. A second press before that would open the
 * transcript again while it is closing.
 */
const SHOWN_MS = 3_000;

/** Closes the transcript if it is open. Two clients that looked at the same time may have left it open. */
export async function closeTranscript({
  slug,
  typeAtTerminal,
  cbos,
}: Pick<Turn, 'slug' | 'typeAtTerminal' | 'cbos'>): Promise<void> {
  const isOpen = async (): Promise<boolean> => {
    const shown = await settled(cbos().call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`));
    return shown?.body.buffer?.includes(TRANSCRIPT_SIGN) === true;
  };
  if (!(await isOpen())) return;
  await typeAtTerminal(slug, TRANSCRIPT_KEY);
  const since = performance.now();
  while ((await isOpen()) && performance.now() - since < SHOWN_MS) await pause(100);
}

const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

/**
 * The sessions in which a client looks at the transcript. Two clients at once could not know whose key had which
 * effect.
 */
const looking = new Set<string>();

/** Opens the transcript at the terminal and closes it again, even in the middle of what other clients do. */
async function look(turn: Turn): Promise<void> {
  const { slug, random, typeAtTerminal } = turn;
  if (looking.has(slug)) return;
  looking.add(slug);
  try {
    await typeAtTerminal(slug, TRANSCRIPT_KEY);
    await pause(random.int(0, LONGEST_LOOK_MS));
    await typeAtTerminal(slug, TRANSCRIPT_KEY);
    await pause(SHOWN_MS);
    // Claude Code may lose a key that comes right after a dialog was drawn.
    await closeTranscript(turn);
  } finally {
    looking.delete(slug);
  }
}

/** Returns null if the server was killed during the request. Only a kill may cut a request. */
async function settled<T>(call: Promise<ApiResult<T>>): Promise<ApiResult<T> | null> {
  try {
    return await call;
  } catch (error) {
    // `fetch` throws a TypeError if the connection is refused or cut, and a SyntaxError if the answer is cut.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
