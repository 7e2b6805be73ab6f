import { statusOf } from '../../src/core/delivery/record.ts';
import type { DeliveryPhase, Question } from '../../src/protocol/index.ts';
import type { GivenAnswer, Interrupt, Ledger, SentText } from './client.ts';
import type { ToolCall, Witness } from './witness.ts';

export interface Torture {
  ledger: Ledger;
  witness: Witness;
  /** the names of the files that granted commands created: `granted-MARK` */
  granted: ReadonlySet<string>;
  /** the marks of the texts that Claude Code put into its own queue, according to its transcripts */
  enqueued: ReadonlySet<string>;
  /** how many times the server was killed */
  kills: number;
  /** every delivery that the server knows at the end, by its text */
  finals: ReadonlyMap<string, FinalDelivery>;
  /** the times in which a session's queue was paused, by session */
  pauses: ReadonlyMap<string, readonly Span[]>;
}

/** A time, in Unix milliseconds. */
export interface Span {
  from: number;
  to: number;
}

export interface FinalDelivery {
  id: string;
  /** when the delivery reached its phase, in Unix milliseconds */
  at: number;
  phase: DeliveryPhase;
  /** whether Enter was pressed during a turn */
  intoQueue: boolean;
  /** whether the journal says that the sender relies on CBOS to send it */
  held: boolean;
  /** every phase that the journal had, with the time at which it was saved, in order */
  phases: readonly { phase: DeliveryPhase; at: number }[];
}

/**
 * How far from a text an interrupt may be to excuse its loss. The interrupt may end a turn after Claude Code took the
 * prompt and before its first request, and it takes some time to be confirmed.
 */
const INTERRUPT_REACH_MS = 4_000;

/** Returns everything that broke a promise; empty if nothing did. */
export function faultsOf(torture: Torture): string[] {
  const excuses = new Excuses(torture.ledger.interrupts);
  return [
    ...torture.ledger.faults,
    ...torture.witness.faults(),
    ...textFaults(torture, excuses),
    ...orderFaults(torture),
    ...dialogFaults(torture, excuses),
  ];
}

/**
 * The losses that an interrupt explains. An interrupt removes at most one prompt that was just sent and one dialog that
 * was just opening. Each interrupt therefore excuses one of each kind, and only near its own time.
 */
class Excuses {
  readonly #left: { interrupt: Interrupt; texts: number; dialogs: number }[];

  constructor(interrupts: readonly Interrupt[]) {
    this.#left = interrupts
      .filter(({ result }) => result !== 'nothing_running')
      .map((interrupt) => ({ interrupt, texts: 1, dialogs: 1 }));
  }

  take(kind: 'texts' | 'dialogs', session: string, from: number, to: number): boolean {
    const found = this.#near(session, from, to).find((one) => one[kind] > 0);
    if (found !== undefined) found[kind] -= 1;
    return found !== undefined;
  }

  /**
   * An Esc after an accepted answer. It ends the turn, and Claude Code then rejects the call that the answer has just
   * allowed, even if its command has already run (2.1.330). A session does one thing after the other, so such an
   * interrupt ends after the answer, and it begins before the result of the call is reported.
   */
  takeAfter(answer: GivenAnswer, { session, resultAt }: ToolCall): boolean {
    const found = this.#left.find(
      ({ interrupt, dialogs }) =>
        dialogs > 0 && interrupt.session === session && interrupt.to >= answer.to && interrupt.from <= resultAt,
    );
    if (found !== undefined) found.dialogs -= 1;
    return found !== undefined;
  }

  hasNear(session: string, from: number, to: number): boolean {
    return this.#near(session, from, to).length > 0;
  }

  #near(session: string, from: number, to: number) {
    return this.#left.filter(
      ({ interrupt }) =>
        interrupt.session === session &&
        interrupt.from <= to + INTERRUPT_REACH_MS &&
        interrupt.to >= from - INTERRUPT_REACH_MS,
    );
  }
}

function textFaults({ ledger, witness, finals, kills, enqueued }: Torture, excuses: Excuses): string[] {
  const faults: string[] = [];
  let lostInCrash = 0;
  let neverShown = 0;
  for (const sent of ledger.texts) {
    const hasArrived = witness.arrived(sent.session).includes(sent.mark);
    const final = finals.get(sent.text.trim()) ?? finals.get(sent.text) ?? null;
    const fault = textFault({ sent, hasArrived, final, isEnqueued: enqueued.has(sent.mark) }, excuses);
    if (fault !== null) {
      faults.push(`${fault}: ${sent.mark} (answered ${JSON.stringify(sent.answer)}, now ${JSON.stringify(final)})`);
    }
    if (final?.phase === 'no_sign') lostInCrash += 1;
    if (final?.phase === 'never_shown') neverShown += 1;
  }
  // A kill interrupts at most one text in each session, and usually none.
  if (lostInCrash > kills) faults.push(`${lostInCrash} unknown after ${kills} kills`);
  if (areTooMany(neverShown, ledger.texts.length))
    faults.push(`${neverShown} of ${ledger.texts.length} texts never showed in the prompt`);
  return faults;
}

/**
 * Claude Code may lose what is typed while its queue begins a turn: one text of 1,500 (2.1.329), and one of 558 beside
 * nine busy processes (2.1.330).
 */
const NEVER_SHOWN_IN = 1_000;

/** A number of losses that is less likely than this has another cause. */
const LEAST_CHANCE = 0.005;

/**
 * Reports whether so many texts were never shown that Claude Code cannot have lost them all by chance. The number of
 * texts that it loses follows Poisson's distribution.
 */
export function areTooMany(neverShown: number, texts: number): boolean {
  const mean = texts / NEVER_SHOWN_IN;
  let chance = Math.exp(-mean);
  let chanceOfFewer = 0;
  for (let count = 0; count < neverShown; count += 1) {
    chanceOfFewer += chance;
    chance *= mean / (count + 1);
  }
  return 1 - chanceOfFewer < LEAST_CHANCE;
}

function textFault(
  {
    sent,
    hasArrived,
    final,
    isEnqueued,
  }: { sent: SentText; hasArrived: boolean; final: FinalDelivery | null; isEnqueued: boolean },
  excuses: Excuses,
): string | null {
  if (sent.answer !== null && 'refused' in sent.answer) {
    if (final !== null && statusOf(final) !== 'failed') return 'refused, and yet journalled';
    return hasArrived ? 'refused, and yet it arrived' : null;
  }
  if (final === null) return hasArrived || sent.answer !== null ? 'not in the journal' : null;
  switch (statusOf(final)) {
    case 'delivered': {
      // The server writes down the interrupt when it removes the text from the prompt. That may happen only after the
      // next start of the server.
      const from = final.phase === 'interrupted' ? Math.min(sent.from, final.at) : final.at;
      if (hasArrived || excuses.take('texts', sent.session, from, final.at)) return null;
      // If a turn took several texts from the queue, an interrupt of the turn interrupts all of them.
      const isOfSameTurn = isEnqueued && final.phase === 'interrupted';
      return isOfSameTurn && excuses.hasNear(sent.session, from, final.at) ? null : 'lost';
    }
    case 'sent':
      // The text was typed and nothing confirmed it. Only an interrupt at that moment never leaves a sign.
      return hasArrived || excuses.take('texts', sent.session, final.at, final.at) ? null : 'never confirmed and lost';
    case 'unknown':
      return null;
    case 'failed':
      return hasArrived ? 'said to have failed, and yet it arrived' : null;
    default:
      return `${final.phase} at the end`;
  }
}

function orderFaults(torture: Torture): string[] {
  return outOfOrder(torture).flatMap(({ sent, before, hasPassedQueue }) =>
    hasPassedQueue ? [] : [`out of order: ${sent.mark} came before ${before}`],
  );
}

/**
 * Returns how many texts passed others in Claude Code's own queue. A run reports the number, but it does not count as a
 * fault (ADR 18).
 */
export const passedQueue = (torture: Torture): number =>
  outOfOrder(torture).filter(({ hasPassedQueue }) => hasPassedQueue).length;

/** Returns the texts that came before one that the same client had sent to the same session earlier. */
function outOfOrder(torture: Torture) {
  const { ledger, witness, enqueued } = torture;
  const earlier = new Map<string, Placed[]>();
  return ledger.texts.flatMap((sent) => {
    const place = witness.arrived(sent.session).indexOf(sent.mark);
    if (place < 0) return [];
    const placed = placeOf(sent, place, torture);
    const lane = `${sent.session} ${sent.sender}`;
    const others = earlier.get(lane) ?? [];
    earlier.set(lane, [...others, placed]);
    const late = others.filter((one) => one.place > place && !mayPass(placed, one, torture));
    // Claude Code itself lets a text pass its queue if the Enter of the text comes in the moment between two turns.
    const mayPassQueue = placed.isInQueue && !enqueued.has(sent.mark);
    const before = late.find(({ mark }) => !mayPassQueue || !enqueued.has(mark)) ?? late[0];
    if (before === undefined) return [];
    return [{ sent, before: before.mark, hasPassedQueue: mayPassQueue && enqueued.has(before.mark) }];
  });
}

/** A text that arrived. */
interface Placed {
  mark: string;
  session: string;
  /** its place among the texts that arrived */
  place: number;
  way: 'held' | 'typed';
  /** when its first letter was typed; NaN if the journal does not say so */
  typedAt: number;
  /** whether it was typed in the middle of a turn, and perhaps interrupted later */
  isInQueue: boolean;
  phases: FinalDelivery['phases'];
}

function placeOf(sent: SentText, place: number, { ledger, finals }: Torture): Placed {
  const { mark, session } = sent;
  const final = finals.get(sent.text.trim());
  const phases = final?.phases ?? [];
  const typedAt = phases.find(({ phase }) => phase === 'typing')?.at ?? Number.NaN;
  const isInQueue = final !== undefined && (final.intoQueue || final.phase === 'interrupted');
  return { mark, session, place, way: wayOf(sent, final, ledger.killedAt), typedAt, isInQueue, phases };
}

/**
 * Reports whether CBOS held a text or typed it at once. For a text that a killed server left unanswered, the journal
 * shows this: the next server holds it if it was not typed yet, or if it is no longer in the prompt, and then types it
 * in its turn. If it is still in the prompt, the next server only presses Enter.
 */
function wayOf({ answer }: SentText, final: FinalDelivery | undefined, killedAt: readonly number[]): Placed['way'] {
  if (answer !== null) return 'status' in answer && answer.status === 'queued' ? 'held' : 'typed';
  const { held = false, phases = [] } = final ?? {};
  const [first, second] = phases;
  const isLeftUntyped = killedAt.some(
    (kill) => first !== undefined && first.at <= kill && kill <= (second?.at ?? Number.POSITIVE_INFINITY),
  );
  const isTypedAgain = phases.filter(({ phase }) => phase === 'typing').length > 1;
  return held || isLeftUntyped || isTypedAgain ? 'held' : 'typed';
}

/** The phases of a text that was typed before and that CBOS holds again. */
const CAME_BACK: ReadonlySet<DeliveryPhase> = new Set(['put_back', 'taken_out', 'resumed']);

/**
 * Reports whether a text may arrive before one that the same client sent earlier. A text that CBOS types at once may
 * pass one that CBOS holds at that moment. If the held text had come back, this is possible only while an interrupt has
 * paused the queue, because CBOS otherwise holds every later text too (ADR 18). Held texts keep the order in which CBOS
 * took them, and so do typed ones.
 */
function mayPass(sent: Placed, before: Placed, { pauses }: Torture): boolean {
  if (sent.way === 'held') return before.way === 'typed';
  const now = before.phases.findLast(({ at }) => at < sent.typedAt)?.phase;
  if (now === undefined || statusOf({ phase: now }) !== 'queued') return before.way === 'held';
  if (!CAME_BACK.has(now)) return true;
  return pauses.get(sent.session)?.some(({ from, to }) => from <= sent.typedAt && sent.typedAt <= to) === true;
}

/** The results of answers that were typed, or may have been. */
const MAY_HAVE_ANSWERED: readonly (string | null)[] = ['answered', 'not_confirmed', null];

/** Text that Claude Code sends to the model after a no, or after a dialog was dismissed (2.1.329). */
const REFUSED = /doesn't want to (?:proceed|take this action)|tool use was rejected|declined to answer/i;

/** What the model gets instead of the result of an allowed call that an Esc stopped right away (2.1.330). */
const MISSING = /^\[Tool result missing due to internal error\]$/;

function dialogFaults({ ledger, witness, granted }: Torture, excuses: Excuses): string[] {
  const faults: string[] = [];
  const answered = new Set<string>();
  for (const { question, result } of ledger.answers) {
    if (result !== 'answered') continue;
    if (answered.has(question.id)) faults.push(`answered twice: ${question.id}`);
    answered.add(question.id);
  }
  for (const call of witness.calls()) {
    const subject = subjectOf(call.input);
    const given = ledger.answers.filter(
      ({ question, result }) => isAbout(question, subject) && MAY_HAVE_ANSWERED.includes(result),
    );
    const isRefused = REFUSED.test(call.result ?? '');
    const allowed = given.find(({ result, choice }) => result === 'answered' && choice !== 'no');
    const isStopped = isRefused || MISSING.test(call.result ?? '');
    if (isStopped && allowed !== undefined && excuses.takeAfter(allowed, call)) continue;
    faults.push(...callFaults(call, given, granted));
    const isDismissed = isRefused && !given.some(({ choice }) => choice === 'no');
    if (isDismissed && !excuses.take('dialogs', call.session, call.seenAt, call.resultAt)) {
      faults.push(`dismissed by nobody: ${subject}: ${call.result}`);
    }
  }
  return faults;
}

function callFaults(call: ToolCall, given: readonly GivenAnswer[], granted: Torture['granted']): string[] {
  const accepted = given.find(({ result }) => result === 'answered');
  const file = /granted-[A-Za-z0-9.]+/.exec(subjectOf(call.input))?.[0];
  if (call.name === 'Bash' && file !== undefined) {
    const isGranted = granted.has(file);
    if (isGranted && !given.some(({ choice }) => choice === 'yes')) return [`granted by accident: ${file}`];
    if (isGranted && accepted?.choice === 'no') return [`granted, though no was accepted: ${file}`];
    if (!isGranted && accepted?.choice === 'yes') return [`yes was accepted, but not granted: ${file}: ${call.result}`];
  }
  if (call.name === 'AskUserQuestion') {
    const told = /"="([^"]+)"/.exec(call.result ?? '')?.[1];
    if (told !== undefined && !given.some(({ choice }) => choice === told)) {
      return [`told the model ${told}, which nobody answered: ${call.result}`];
    }
    if (accepted !== undefined && told !== accepted.choice) {
      return [`answered ${accepted.choice}, but the model was told: ${call.result}`];
    }
  }
  return [];
}

/** On a busy machine, a dialog may be answered before its hook reports the call. Its text then shows the command. */
function isAbout({ tool, text }: Pick<Question, 'tool' | 'text'>, subject: string): boolean {
  return tool === null ? text.includes(subject) : subjectOf(tool.input) === subject;
}

/**
 * Returns the command, or the text of the questions. Claude Code changes the order of the other fields of a call, and
 * adds to them.
 */
export function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const { command, questions } = input as { command?: unknown; questions?: unknown };
  if (typeof command === 'string') return command;
  if (!Array.isArray(questions)) return JSON.stringify(input);
  return questions.map((one: { question?: unknown }) => String(one.question)).join('\n');
}
