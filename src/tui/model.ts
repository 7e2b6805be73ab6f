import { EMPTY_VIEW, type SessionView } from '../client/index.ts';
import type { Grouping, Question, QuestionPart, SeenSession, Session } from '../protocol/index.ts';
import { askedText } from '../text/tool-input-text.ts';
import { type ListGroup, listGroups } from './groups.ts';
import { type Editor, EMPTY_EDITOR } from './input/editor.ts';

/**
 * What happens when a session starts to wait: the terminal's bell, the bell and a desktop notification, or only a line.
 */
export const ALERTS = ['bell', 'desktop', 'quiet'] as const;

export interface Toast {
  text: string;
  tone: 'good' | 'bad' | 'wait';
  /** Unix milliseconds */
  until: number;
}

/** The answer to a dialog, as far as it has been chosen: several options, or several questions. */
export interface AnswerDraft {
  questionId: string;
  /** the index of the dialog's question that is being answered */
  part: number;
  /** the numbers of the chosen options, from 1 */
  chosen: ReadonlySet<number>;
  answers: Readonly<Record<string, string | string[]>>;
}

/** The question in the picture that the user sees. */
export interface DrawnQuestion {
  /** the key of the question and of its current part, or null if nothing is asked */
  key: string | null;
  slug: string | null;
  /** since when it has been shown, in Unix milliseconds */
  since: number;
  /** the time from which keypresses answer it */
  answerableFrom: number;
  /** whether it was shown in full */
  isWhole: boolean;
  /** since when the answer that the user has always given is shown, or null if it is not shown */
  suggestedSince: number | null;
}

/** Everything that the picture is drawn from, except the session's screen. */
export interface Model {
  view: SessionView;
  selected: string | null;
  filter: string;
  /** how the list is grouped */
  grouping: Grouping;
  /** the groups that show only sessions that need attention */
  folded: ReadonlySet<string>;
  /** when the server was connected or lost, in Unix milliseconds */
  link: { isUp: boolean; since: number };
  alerts: (typeof ALERTS)[number];
  /** whether the user's terminal has the focus; true for terminals that do not report it */
  hasFocus: boolean;
  /** whether the session is shown alone, without the list */
  isZoomed: boolean;
  /** whether the terminal should report the mouse */
  hasMouse: boolean;
  /** terminal sessions that are shown as a conversation */
  asText: ReadonlySet<string>;
  /** sessions that are marked for an action on all of them */
  marked: ReadonlySet<string>;
  /** whether tools in a conversation are shown with all their output */
  isUnfolded: boolean;
  scroll: { back: number; right: number };
  toast: Toast | null;
  answer: AnswerDraft | null;
  /** the question in the user's terminal */
  drawn: DrawnQuestion;
  /** the text of the question that was last read to its end, as a page */
  readToEnd: string | null;
  /** unfinished messages, by session */
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
    drawn: { key: null, slug: null, since: now, answerableFrom: now, isWhole: true, suggestedSince: null },
    readToEnd: null,
    drafts: new Map(),
  };
}

export function selectedSession({ view, selected }: Model): SeenSession | null {
  return selected === null ? null : (view.get(selected) ?? null);
}

/** The sessions that the list shows, from the top. */
export function listed(model: Model): readonly SeenSession[] {
  const groups = listGroups(model);
  const known = flat.get(groups) ?? groups.flatMap(({ sessions }) => sessions);
  flat.set(groups, known);
  return known;
}
const flat = new WeakMap<readonly ListGroup[], readonly SeenSession[]>();

/**
 * Reports whether the pane shows a conversation: that of a JSON session, or of a terminal session that is shown as a
 * conversation.
 */
export function isConversation({ asText }: Model, { slug, type }: Session): boolean {
  return type === 'json' || asText.has(slug);
}

export function draftOf({ drafts }: Model, slug: string): Editor {
  return drafts.get(slug) ?? EMPTY_EDITOR;
}

/**
 * How long a question must be in the picture before anybody can have read it. Any earlier keypress was meant for the
 * previous picture.
 */
export const READING_MS = 500;

/**
 * Records which question the picture shows, once the picture has been drawn.
 * @param isWhole whether it was shown in full
 * @param hasSuggestion whether the answer that the user has always given was shown
 * @param hasMoved whether the user has chosen this session or answered the previous part; then no wait is needed,
 * because the question was expected
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
 * Reports whether the user has seen the whole question, either in the picture or as a page that they read to its end.
 */
export function isSeenWhole(model: Model, question: Question): boolean {
  return model.drawn.isWhole || model.readToEnd === askedText(question, openPart(question, model.answer));
}

/** Reports whether keypresses answer the selected session's question, which the user must have seen. */
export function isReadable(model: Model, now: number): boolean {
  const { key, slug, answerableFrom } = model.drawn;
  return key === keyOf(model) && slug === model.selected && now >= answerableFrom;
}

/**
 * Reports whether a click answers the question. The first click of a double click may have selected the session, and
 * the second one must not answer. If a session was selected with the mouse, its question must therefore be visible for
 * a moment first.
 */
export function isClickable(model: Model, now: number): boolean {
  return isReadable(model, now) && now - model.drawn.since >= READING_MS;
}

function keyOf(model: Model): string | null {
  const question = selectedSession(model)?.status.question ?? null;
  return question === null ? null : `${question.id} ${answerDraft(question, model.answer).part}`;
}

/** Returns the question that keypresses answer: the dialog's only question, or the current one of several. */
export function openPart(question: Question, draft: AnswerDraft | null): QuestionPart {
  const part = draft?.questionId === question.id ? draft.part : 0;
  return question.questions[part] ?? { header: null, ...question };
}

/** Returns the options chosen so far. The result is empty if the draft belongs to another question. */
export function answerDraft(question: Question, draft: AnswerDraft | null): AnswerDraft {
  return draft?.questionId === question.id
    ? draft
    : { questionId: question.id, part: 0, chosen: new Set(), answers: {} };
}
