import { EMPTY_VIEW, type SessionView } from '../client/index.ts';
import {
  type Grouping,
  openQuestions,
  type Question,
  type QuestionPart,
  type SeenSession,
  type Session,
} from '../protocol/index.ts';
import { askedText } from '../text/tool-input-text.ts';
import { type ListGroup, listGroups } from './groups.ts';
import { type Editor, EMPTY_EDITOR } from './input/editor.ts';

/**
 * How the user is alerted when a session starts to wait: by the terminal's bell, by the bell and a desktop
 * notification, or only by a line.
 */
export const ALERTS = ['bell', 'desktop', 'quiet'] as const;

export interface Toast {
  text: string;
  tone: 'good' | 'bad' | 'wait';
  /** Unix milliseconds */
  until: number;
}

/** An incomplete answer to a dialog that has several options to choose or several questions. */
export interface AnswerDraft {
  questionId: string;
  /** the index of the dialog's question that is being answered */
  part: number;
  /** the numbers of the chosen options, counted from 1 */
  chosen: ReadonlySet<number>;
  answers: Readonly<Record<string, string | string[]>>;
}

/** The question in the picture that is on the screen. */
export interface DrawnQuestion {
  /** identifies the question and its current part, or null if the session asks nothing */
  key: string | null;
  slug: string | null;
  /** since when the question has been shown, in Unix milliseconds */
  since: number;
  /** the time from which keypresses answer the question */
  answerableFrom: number;
  /** whether the question was shown in full */
  isWhole: boolean;
  /** since when the suggestion to answer as before has been shown, or null if it is not shown */
  suggestedSince: number | null;
}

/** Everything that a picture shows, except for the session's screen. */
export interface Model {
  view: SessionView;
  selected: string | null;
  filter: string;
  /** how the list groups sessions */
  grouping: Grouping;
  /** the folded groups, which show only sessions that need attention */
  folded: ReadonlySet<string>;
  /** when the connection to the server was established or lost, in Unix milliseconds */
  link: { isUp: boolean; since: number };
  alerts: (typeof ALERTS)[number];
  /** whether the user's terminal has the focus; always true if the terminal does not report this */
  hasFocus: boolean;
  /** whether only the session is shown, without the list */
  isZoomed: boolean;
  /** whether the terminal should report the mouse */
  hasMouse: boolean;
  /** the terminal sessions that are shown as a conversation */
  asText: ReadonlySet<string>;
  /** the sessions that the user has marked for a joint action */
  marked: ReadonlySet<string>;
  /** whether a conversation shows the complete output of tools */
  isUnfolded: boolean;
  scroll: { back: number; right: number };
  toast: Toast | null;
  answer: AnswerDraft | null;
  /** the id of the open question that the user has gone to; if it is not open, the oldest one is shown */
  asked: string | null;
  /** the question that the user's terminal shows */
  drawn: DrawnQuestion;
  /** the text of the question that the user last read to its end, as a page */
  readToEnd: string | null;
  /** messages that the user has not finished writing, by session */
  drafts: Map<string, Editor>;
}

export function createModel(now: number): Model {
  return {
    view: EMPTY_VIEW,
    selected: null,
    filter: '',
    grouping: 'attention',
    folded: new Set(),
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
    asked: null,
    drawn: { key: null, slug: null, since: now, answerableFrom: now, isWhole: true, suggestedSince: null },
    readToEnd: null,
    drafts: new Map(),
  };
}

export function selectedSession({ view, selected }: Pick<Model, 'view' | 'selected'>): SeenSession | null {
  return selected === null ? null : (view.get(selected) ?? null);
}

/** Returns the shown question of the selected session: the oldest open one, or the one that the user has gone to. */
export function shownQuestion(model: Pick<Model, 'view' | 'selected' | 'asked'>): Question | null {
  const status = selectedSession(model)?.status;
  if (status === undefined) return null;
  return openQuestions(status).find(({ id }) => id === model.asked) ?? status.question;
}

/** Returns the question that a text for a session answers. */
export const questionOf = (model: Model, { slug, status }: Pick<Session, 'slug' | 'status'>): Question | null =>
  slug === model.selected ? shownQuestion(model) : status.question;

/** Returns the dialog that a text for a session answers; null if the text goes to the session's prompt. */
export function dialogOf(model: Model, session: Pick<Session, 'slug' | 'status'>): Question | null {
  const question = questionOf(model, session);
  return question?.kind === 'closing' ? null : question;
}

/** Returns the sessions that the list shows, from the top. */
export function listed(model: Model): readonly SeenSession[] {
  const groups = listGroups(model);
  const known = flat.get(groups) ?? groups.flatMap(({ sessions }) => sessions);
  flat.set(groups, known);
  return known;
}
const flat = new WeakMap<readonly ListGroup[], readonly SeenSession[]>();

/**
 * Reports whether the pane shows a conversation. It does for a JSON session, and for a terminal session if the user has
 * switched it to its conversation.
 */
export function isConversation({ asText }: Model, { slug, type }: Session): boolean {
  return type === 'json' || asText.has(slug);
}

export function draftOf({ drafts }: Model, slug: string): Editor {
  return drafts.get(slug) ?? EMPTY_EDITOR;
}

/**
 * How long a question must be visible before keypresses count. Any earlier keypress was meant for the previous picture.
 */
export const READING_MS = 500;

/**
 * Records which question a picture shows. Call this after the picture was drawn.
 * @param isWhole whether the question was shown in full
 * @param hasSuggestion whether the suggestion to answer as before was shown
 * @param hasMoved whether the user has just selected this session or answered the previous part; in that case, the
 * question is expected, and keypresses count immediately
 */
export function noteDrawn(
  model: Model,
  {
    now,
    hasMoved,
    isWhole,
    hasSuggestion = false,
  }: { now: number; hasMoved: boolean; isWhole: boolean; hasSuggestion?: boolean },
): void {
  const key = keyOf(model);
  const { drawn, selected: slug } = model;
  const isKnown = drawn.key === key && drawn.slug === slug;
  if (isKnown && drawn.isWhole === isWhole && (drawn.suggestedSince !== null) === hasSuggestion) return;
  const answerableFrom = isKnown ? drawn.answerableFrom : hasMoved ? now : now + READING_MS;
  const suggestedSince = hasSuggestion ? ((isKnown ? drawn.suggestedSince : null) ?? now) : null;
  model.drawn = { key, slug, since: isKnown ? drawn.since : now, answerableFrom, isWhole, suggestedSince };
}

/**
 * Reports whether the user has seen the whole question, either in the picture or as a page that the user has read to
 * its end.
 */
export function isSeenWhole(model: Model, question: Question): boolean {
  return model.drawn.isWhole || model.readToEnd === askedText(question, openPart(question, model.answer));
}

/** Reports whether keypresses answer the selected session's question. The user must have seen the question. */
export function isReadable(model: Model, now: number): boolean {
  const { key, slug, answerableFrom } = model.drawn;
  return key === keyOf(model) && slug === model.selected && now >= answerableFrom;
}

/**
 * Reports whether a click answers the question. If a double click selects a session, its second click must not answer
 * the question. After a session is selected with the mouse, its question must therefore be visible for a moment first.
 */
export function isClickable(model: Model, now: number): boolean {
  return isReadable(model, now) && now - model.drawn.since >= READING_MS;
}

function keyOf(model: Model): string | null {
  const question = shownQuestion(model);
  return question === null ? null : `${question.id} ${answerDraft(question, model.answer).part}`;
}

/** Returns the question that keypresses answer: the dialog's only question, or the current one if there are several. */
export function openPart(question: Question, draft: AnswerDraft | null): QuestionPart {
  const part = draft?.questionId === question.id ? draft.part : 0;
  return question.questions[part] ?? { header: null, ...question };
}

/**
 * Returns the options that the user has chosen so far. The result is empty if the draft belongs to another question.
 */
export function answerDraft(question: Question, draft: AnswerDraft | null): AnswerDraft {
  return draft?.questionId === question.id
    ? draft
    : { questionId: question.id, part: 0, chosen: new Set(), answers: {} };
}
