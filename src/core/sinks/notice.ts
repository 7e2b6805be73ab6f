import {
  type Answer,
  detailOfQuestion,
  type Form,
  isOpenHere,
  needsYou,
  openQuestions,
  type Question,
  rowOf,
  type Session,
} from '../../protocol/index.ts';
import { askerText } from '../../text/asker-words.ts';
import { displayWidth } from '../../text/display-width.ts';
import { endText, interruptedText } from '../../text/end-words.ts';
import { formLines } from '../../text/form-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { maskSecrets } from '../../text/mask-secrets.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { askedText } from '../../text/tool-input-text.ts';

/** A sink's message about a session that needs attention. */
export interface Notice {
  title: string;
  body: string;
  buttons: NoticeButton[];
}

export interface NoticeButton {
  /** the button's key, which is unique within its message */
  key: string;
  label: string;
  answer: Pick<Answer, 'choice'>;
}

/**
 * The maximum length of a message body in bytes. ntfy turns bodies of 4,096 bytes or more into an attachment, and
 * Telegram rejects that many characters.
 */
const MOST_BODY_BYTES = 3_000;
const LONGEST_LABEL = 40;

/**
 * Returns a value for each thing that a session needs from the user: one for each question that can be answered now.
 * The list is empty if the session needs nothing, or if that is unknown.
 */
export function needsOf(session: Session): readonly string[] {
  const { primary, detail, since } = session.status;
  if (!needsYou(session)) return [];
  const open = openQuestions(session.status).filter(({ behind }) => behind !== true);
  return open.length === 0 ? [`${primary}/${detail} ${since}`] : open.map(needOf);
}

const needOf = ({ id }: Question): string => `question ${id}`;

/** Returns the question that a need is about, or null if it is about none. */
export function questionOf({ status }: Session, need: string): Question | null {
  return openQuestions(status).find((question) => needOf(question) === need) ?? null;
}

/**
 * Reports whether CBOS knows a session's status well enough to conclude that the session no longer needs attention. A
 * server that has just started knows little.
 */
export function isKnown({ status: { primary } }: Session): boolean {
  return primary !== null;
}

export function titleOf({ slug, status, interrupted_at }: Pick<Session, 'slug' | 'status' | 'interrupted_at'>): string {
  const { primary } = status;
  const { ends, title } = rowOf(status);
  if (primary === 'dead') return `${slug} has ended, and nobody asked for that`;
  if (ends === 'finished' && interrupted_at !== undefined) return `${slug} was interrupted`;
  if (primary === 'stuck') return `${slug} shows no sign of life`;
  return `${slug} ${title ?? 'asks'}`;
}

/** Cleans text from a session for display in a place where others may read it, such as a locked phone. */
export function previewOf(text: string): string {
  return maskSecrets(cleanBlock(showHiddenMarks(text)).trim());
}

/** How much of a message a sink can show. */
export interface Shown {
  /** how many buttons a message can have, or 0 if messages in this sink cannot be answered */
  mostButtons: number;
  /** the maximum length of the body of this message; default: the limit for all bodies */
  most?: { columns: number; lines: number } | undefined;
}

/** Returns what a session that asks nothing needs the user for. */
export const evidenceOf = (session: Session): string =>
  endText(session) || interruptedText(session) || session.status.because.evidence;

/** Writes a message that tells the user what a session needs. */
export function noticeOf(session: Session, { mostButtons, most }: Shown, question = session.status.question): Notice {
  const whole = question === null ? evidenceOf(session) : wordsOf(question);
  const shown = cleanBlock(showHiddenMarks(whole)).trim();
  const masked = maskSecrets(shown);
  const body = cutBytes(most === undefined ? masked : cutLines(masked, most), MOST_BODY_BYTES);
  // Users must not allow a call that they have not seen in full.
  const isWhole = body === shown && question?.cut !== true;
  const buttons = question === null ? [] : buttonsOf(question, isWhole);
  const fitting = buttons.length <= mostButtons ? buttons : [];
  const isDialog = question !== null && question.kind !== 'closing';
  const detail = isDialog ? detailOfQuestion(question.kind) : session.status.detail;
  const title = cleanLine(titleOf({ ...session, status: { ...session.status, detail } }));
  const notes = [...(isWhole ? [] : [NOT_WHOLE]), ...whereToFillIn(session, question?.form, fitting)];
  return { title, body: [body, ...notes].join('\n'), buttons: fitting };
}

const NOT_WHOLE = '(This is only part of the request. To allow it, open CBOS.)';

/** Returns a note for a form that no button accepts. A form that is open in the terminal says so itself. */
function whereToFillIn({ slug }: Session, form: Form | undefined, buttons: readonly NoticeButton[]): string[] {
  if (form === undefined || !isOpenHere(form)) return [];
  if (buttons.some(({ answer }) => answer.choice !== 'no')) return [];
  return [`(To fill in this form, open CBOS, or see \`cbos show ${cleanLine(slug)}\`.)`];
}

function wordsOf(question: Question): string {
  const parts = question.questions.length === 0 ? [question] : question.questions;
  const isCall = question.kind === 'permission' || question.kind === 'plan';
  const who = askerText(question);
  const words = parts
    .flatMap((part) => [
      isCall ? askedText(question, part) : part.text,
      // The options for a call are always the same, and the buttons already show them.
      ...(isCall ? [] : part.options.map(({ key, label }) => `${key}. ${label}`)),
    ])
    .concat(question.form === undefined ? [] : formLines(question.form))
    .join('\n');
  return who === '' ? words : `Asked by its ${who}:\n${words}`;
}

function buttonsOf(question: Question, isWhole: boolean): NoticeButton[] {
  if (question.multi || question.questions.length > 1) return [];
  switch (question.kind) {
    case 'permission':
    case 'plan': {
      const has = (means: 'yes' | 'no'): boolean => question.options.some((option) => option.means === means);
      return [
        ...(isWhole && has('yes') ? [{ key: 'y', label: 'Yes', answer: { choice: 'yes' as const } }] : []),
        ...(has('no') ? [{ key: 'n', label: 'No', answer: { choice: 'no' as const } }] : []),
      ];
    }
    case 'question': {
      if (!isWhole) return [];
      return question.options.flatMap(({ label, means }, index) =>
        means === 'choice' ? [{ key: String(index + 1), label: labelOf(label), answer: { choice: index + 1 } }] : [],
      );
    }
    case 'form': {
      // A form whose answer is not one choice is filled in elsewhere. A button can still decline it.
      const options = question.options.map(({ label, means }, index) => ({ label, means, choice: index + 1 }));
      return options.flatMap(({ label, means, choice }): NoticeButton[] => {
        if (means === 'no') return [{ key: 'n', label: labelOf(label), answer: { choice: 'no' as const } }];
        return isWhole ? [{ key: String(choice), label: labelOf(label), answer: { choice } }] : [];
      });
    }
    default:
      return [];
  }
}

const labelOf = (label: string): string => cleanLine(showHiddenMarks(label)).slice(0, LONGEST_LABEL);

/** Truncates text to the lines that fit. A long line counts as several lines. */
function cutLines(text: string, most: { columns: number; lines: number }): string {
  const fitting: string[] = [];
  let left = most.lines;
  for (const line of text.split('\n')) {
    left -= Math.max(1, Math.ceil(displayWidth(line) / most.columns));
    if (left < 0) return `${fitting.join('\n')}…`;
    fitting.push(line);
  }
  return text;
}

/** Truncates text to at most `most` bytes in UTF-8. */
function cutBytes(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += bytesOf(character.codePointAt(0) ?? 0);
    if (bytes > most) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
