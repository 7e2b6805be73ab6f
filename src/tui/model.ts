import { EMPTY_VIEW, type SessionView } from '../client/index.ts';
import type { Question, QuestionPart, Session } from '../protocol/index.ts';
import { askedText } from '../text/tool-input-text.ts';
import { type Editor, EMPTY_EDITOR } from './input/editor.ts';
import { listedSessions } from './order.ts';

/**
 * What happens when a session starts to wait: the terminal's bell, a notification of the desktop as well, or nothing
 * but a line.
 */
export const ALERTS = ['bell', 'desktop', 'quiet'] as const;

export interface Toast {
  text: string;
  tone: 'good' | 'bad' | 'wait';
  /** Unix milliseconds */
  until: number;
}

/** An answer to a dialog as far as it was chosen: several options, or several questions. */
export interface AnswerDraft {
  questionId: string;
  /** which of the dialog's questions is being answered */
  part: number;
  /** numbers of the options, from 1 */
  chosen: ReadonlySet<number>;
  answers: Readonly<Record<string, string | string[]>>;
}

/** What is asked in the picture that the person sees. */
export interface DrawnQuestion {
  /** of the question and of its part that is on; null while nothing is asked */
  key: string | null;
  slug: string | null;
  /** since when it stands there, in Unix milliseconds */
  since: number;
  /** since when keys answer it */
  answerableFrom: number;
  /** nothing of it was left out */
  isWhole: boolean;
}

/** Everything that the picture is made of, beside the session's screen. */
export interface Model {
  view: SessionView;
  selected: string | null;
  filter: string;
  /** since when the server is connected, or lost, in Unix milliseconds */
  link: { isUp: boolean; since: number };
  alerts: (typeof ALERTS)[number];
  /** whether the person's terminal has the focus; true for terminals that do not tell */
  hasFocus: boolean;
  /** the session alone, without the list */
  isZoomed: boolean;
  /** whether the terminal is asked to tell of the mouse */
  hasMouse: boolean;
  /** sessions in a terminal that are read as a conversation */
  asText: ReadonlySet<string>;
  /** sessions that something is to be done with together */
  marked: ReadonlySet<string>;
  /** a conversation's tools with all that they said */
  isUnfolded: boolean;
  scroll: { back: number; right: number };
  toast: Toast | null;
  answer: AnswerDraft | null;
  /** the question on the person's terminal */
  drawn: DrawnQuestion;
  /** the text of the question that was last read to its end, as a page */
  readToEnd: string | null;
  /** texts that were begun, by session */
  drafts: Map<string, Editor>;
}

export function createModel(now: number): Model {
  return {
    view: EMPTY_VIEW,
    selected: null,
    filter: '',
    link: { isUp: false, since: now },
    alerts: 'bell',
    hasFocus: true,
    isZoomed: false,
    hasMouse: true,
    asText: new Set(),
    marked: new Set(),
    isUnfolded: false,
    scroll: { back: 0, right: 0 },
    toast: null,
    answer: null,
    drawn: { key: null, slug: null, since: now, answerableFrom: now, isWhole: true },
    readToEnd: null,
    drafts: new Map(),
  };
}

export function selectedSession({ view, selected }: Model): Session | null {
  return selected === null ? null : (view.get(selected) ?? null);
}

/**
 * Each picture asks for it several times, most pictures show the same sessions: a hundred are sorted once for each
 * change of them.
 */
const sorted = new WeakMap<SessionView, { filter: string; sessions: readonly Session[] }>();

export function listed({ view, filter }: Model): readonly Session[] {
  const known = sorted.get(view);
  if (known?.filter === filter) return known.sessions;
  const sessions = listedSessions(view, filter);
  sorted.set(view, { filter, sessions });
  return sessions;
}

/** Whether the pane shows a conversation: a JSON session, or one in a terminal that is read as one. */
export function isConversation({ asText }: Model, { slug, type }: Session): boolean {
  return type === 'json' || asText.has(slug);
}

export function draftOf({ drafts }: Model, slug: string): Editor {
  return drafts.get(slug) ?? EMPTY_EDITOR;
}

/**
 * A question that has been in the picture for less than this was read by nobody: the key was meant for what stood there
 * before.
 */
const READING_MS = 500;

/**
 * Notes what the picture asks, once it is drawn.
 * @param isWhole nothing of it was left out
 * @param hasMoved the person has chosen this session or has answered the part before: no need to wait, for nothing came
 * up by itself
 */
export function noteDrawn(
  model: Model,
  { now, hasMoved, isWhole }: { now: number; hasMoved: boolean; isWhole: boolean },
): void {
  const key = keyOf(model);
  const { drawn, selected: slug } = model;
  const isKnown = drawn.key === key && drawn.slug === slug;
  if (isKnown && drawn.isWhole === isWhole) return;
  const answerableFrom = isKnown ? drawn.answerableFrom : hasMoved ? now : now + READING_MS;
  model.drawn = { key, slug, since: isKnown ? drawn.since : now, answerableFrom, isWhole };
}

/**
 * Whether all of what is asked was before the person's eyes: in the picture, or as a page that they read to its end.
 */
export function isSeenWhole(model: Model, question: Question): boolean {
  return model.drawn.isWhole || model.readToEnd === askedText(question, openPart(question, model.answer));
}

/** Whether keys answer what the selected session asks: the person must have had it before their eyes. */
export function isReadable(model: Model, now: number): boolean {
  const { key, slug, answerableFrom } = model.drawn;
  return key === keyOf(model) && slug === model.selected && now >= answerableFrom;
}

/**
 * Whether a click answers it. The second click of a double one, whose first has chosen the session, is none for its
 * question: what was chosen by
 * the mouse must stand there for a moment as well.
 */
export function isClickable(model: Model, now: number): boolean {
  return isReadable(model, now) && now - model.drawn.since >= READING_MS;
}

function keyOf(model: Model): string | null {
  const question = selectedSession(model)?.status.question ?? null;
  return question === null ? null : `${question.id} ${answerDraft(question, model.answer).part}`;
}

/** The question that keys answer: the dialog's own, or the one of several that is on. */
export function openPart(question: Question, draft: AnswerDraft | null): QuestionPart {
  const part = draft?.questionId === question.id ? draft.part : 0;
  return question.questions[part] ?? { header: null, ...question };
}

/** What was chosen so far, nothing for another question than that. */
export function answerDraft(question: Question, draft: AnswerDraft | null): AnswerDraft {
  return draft?.questionId === question.id
    ? draft
    : { questionId: question.id, part: 0, chosen: new Set(), answers: {} };
}
