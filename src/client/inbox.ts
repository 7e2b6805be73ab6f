/**
 * The inbox shows one question at a time, and equal questions from several sessions share one card. An answer is held
 * for a moment, so that the user can take it back. The face in which the user gave the answer holds it. If that face
 * ends before the time is up, the answer is not sent.
 */

import {
  type Answer,
  elsewhereOf,
  needsYou,
  openQuestions,
  placeOf,
  type Question,
  type SeenSession,
} from '../protocol/index.ts';
import type { Caller } from './caller.ts';
import type { StreamOptions } from './stream-connection.ts';

/** How long the user can take back an answer. */
export const UNDO_MS = 3_000;

/**
 * How long a question stays hidden after the server has accepted its answer. A question that is still open after that
 * was not affected by the answer.
 */
const TAKEN_MS = 10_000;

/** A session in which the question on a card is asked; a session may have several open questions. */
export interface Asker {
  slug: string;
  path: string | null;
  /** identifies what the session asks: the question's id, or the time at which its usage limit ends */
  id: string;
}

interface CardOf<About extends string> {
  about: About;
  /** changes with each new asker, so that a keypress never applies to an asker that the user has not seen */
  key: string;
  askers: readonly Asker[];
}

/** A card with a question and the sessions that ask it. */
export interface QuestionCard extends CardOf<'question'> {
  question: Question;
}

/** A card with the sessions whose usage limit has ended. It asks whether to continue them. */
export type LimitCard = CardOf<'limit'>;

export type InboxCard = QuestionCard | LimitCard;

/** The part of an answer that is the same for all askers of a card. */
export type GivenAnswer = Omit<Answer, 'question_id'>;

/**
 * Returns the cards for what the sessions ask. Those that have waited longest come first, and skipped ones come last.
 * @param leaving the identities of questions whose answers are being sent
 * @param skipped the identities of skipped questions, in the order in which the user skipped them
 */
export function inboxCards(
  sessions: Iterable<SeenSession>,
  { leaving, skipped }: { leaving: ReadonlySet<string>; skipped: readonly string[] },
): InboxCard[] {
  const cards = new Map<string, { question: Question | null; askers: Asker[] }>();
  const byAge = [...sessions].flatMap(asksOf).sort((one, other) => (one.since < other.since ? -1 : 1));
  for (const { asker, question } of byAge) {
    if (leaving.has(idOf(asker))) continue;
    const same = question === null ? 'limit' : (sameness(question) ?? idOf(asker));
    const card = cards.get(same) ?? { question, askers: [] };
    card.askers.push(asker);
    cards.set(same, card);
  }
  const rank = ({ askers: [first] }: { askers: Asker[] }): number =>
    first === undefined ? 0 : skipped.indexOf(idOf(first)) + 1;
  return [...cards.values()]
    .sort((one, other) => rank(one) - rank(other))
    .map(({ question, askers }): InboxCard => {
      const key = askers.map(idOf).join(' ');
      return question === null ? { about: 'limit', key, askers } : { about: 'question', key, askers, question };
    });
}

/** Returns everything that a session asks and that can be answered in the inbox. */
function asksOf(session: SeenSession): { asker: Asker; question: Question | null; since: string }[] {
  if (!needsYou(session)) return [];
  const { slug, status, limit_over_at: overAt } = session;
  const path = placeOf(session);
  const { since } = status;
  const open = openQuestions(status).filter(({ behind }) => behind !== true);
  if (open.length > 0) {
    return open.map((question, index) => ({
      asker: { slug, path, id: question.id },
      question,
      // The list sorts a session by its status, whose time may differ from that of its oldest question.
      since: index === 0 ? since : question.asked_at,
    }));
  }
  // A machine does not let other machines continue its sessions after a limit.
  if (overAt === undefined || elsewhereOf(session) !== null) return [];
  return [{ asker: { slug, path, id: `limit ${overAt}` }, question: null, since }];
}

/** Returns an id that also includes the session, because two sessions may use the same question id. */
export function idOf({ slug, id }: Asker): string {
  return `${slug} ${id}`;
}

/**
 * Returns a string that is the same for equal questions. It consists of the tool, its complete input, and the possible
 * answers. Returns null for questions that never share a card: those without a tool call, and those whose call is not
 * fully known.
 */
function sameness({ kind, tool, cut, options, questions }: Question): string | null {
  if (kind !== 'permission' || tool === null || cut === true || questions.length > 1) return null;
  return JSON.stringify([tool.name, inOrder(tool.input), options.map(({ label, means }) => [label, means])]);
}

/** Sorts fields, because calls that differ only in the order of fields are equal. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => [name, inOrder(field)]);
}

/**
 * An answer that has not been sent yet. The answer is null for sessions whose usage limit has ended: there is nothing
 * to answer, they only continue.
 */
export type HeldAnswer = { card: QuestionCard; answer: GivenAnswer; said: string } | HeldContinuation;

interface HeldContinuation {
  card: LimitCard;
  answer: null;
  /** the answer in words, to show to the user */
  said: string;
}

/** Sends a held answer to one of its askers. If the question is no longer open, the server refuses the answer. */
export function sendHeld(caller: Caller, { slug, id }: Asker, { answer }: HeldAnswer): Promise<unknown> {
  return answer === null
    ? caller.call('continueSession', { params: { slug } })
    : caller.call('answer', { params: { slug }, body: { ...answer, question_id: id } });
}

/** The outcome of an answer for each session on its card: an error, or null if the session received the answer. */
export interface AnswerOutcome {
  slug: string;
  error: unknown;
}

/** Holds answers for as long as the user can take them back, and then sends them. */
export interface AnswerHold {
  give(held: HeldAnswer): void;
  /**
   * Takes back the most recent answer that has not been sent yet. @returns that answer, or null if all answers have
   * been sent
   */
  undo(): HeldAnswer | null;
  /** the answers that have not been sent yet, newest last */
  held(): readonly HeldAnswer[];
  /** the identities of the questions whose answers are held or being sent */
  leaving(): ReadonlySet<string>;
  /** Call this when the face ends. It drops answers that have not been sent yet. */
  dispose(): void;
}

export function createAnswerHold(options: {
  startTimer: StreamOptions['startTimer'];
  /** sends the answer to one session; rejects with the error if that fails */
  send(asker: Asker, held: HeldAnswer): Promise<unknown>;
  /** called after an answer was given, taken back, or sent */
  onChange(): void;
  onDone(held: HeldAnswer, outcomes: readonly AnswerOutcome[]): void;
}): AnswerHold {
  let isDisposed = false;
  let waiting: { held: HeldAnswer; cancel: () => void }[] = [];
  /** the answers that were sent, each with a function that makes its question visible again */
  const sent = new Map<string, () => void>();

  async function leave(held: HeldAnswer): Promise<void> {
    waiting = waiting.filter((one) => one.held !== held);
    for (const asker of held.card.askers) sent.set(idOf(asker), () => undefined);
    options.onChange();
    const outcomes = await Promise.all(
      held.card.askers.map(async (asker): Promise<AnswerOutcome> => {
        try {
          await options.send(asker, held);
          const show = (): void => {
            sent.delete(idOf(asker));
            options.onChange();
          };
          if (!isDisposed) sent.set(idOf(asker), options.startTimer(show, TAKEN_MS));
          return { slug: asker.slug, error: null };
        } catch (error) {
          // Sending failed, so the question is still open and must be shown again.
          sent.delete(idOf(asker));
          return { slug: asker.slug, error };
        }
      }),
    );
    options.onChange();
    options.onDone(held, outcomes);
  }

  return {
    give: (held) => {
      const cancel = options.startTimer(() => void leave(held), UNDO_MS);
      waiting = [...waiting, { held, cancel }];
      options.onChange();
    },
    undo: () => {
      const last = waiting.at(-1);
      if (last === undefined) return null;
      last.cancel();
      waiting = waiting.slice(0, -1);
      options.onChange();
      return last.held;
    },
    held: () => waiting.map(({ held }) => held),
    leaving: () => new Set([...waiting.flatMap(({ held }) => held.card.askers.map(idOf)), ...sent.keys()]),
    dispose: () => {
      isDisposed = true;
      for (const { cancel } of waiting) cancel();
      for (const cancel of sent.values()) cancel();
      waiting = [];
    },
  };
}
