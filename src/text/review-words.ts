import type { Review, ReviewComment, ReviewRound } from '../protocol/index.ts';
import { shownName } from './changes-words.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanBlock } from './terminal-text.ts';

/**
 * How many of the lines that a comment covers are quoted in the prompt. The session can read the others in the file.
 */
const MOST_QUOTED_LINES = 12;
/** How many characters of each line are quoted. */
const MOST_QUOTED_CHARS = 300;

/** The fields of a comment that the prompt includes. */
export type PromptComment = Pick<ReviewComment, 'file' | 'side' | 'line' | 'end_line' | 'lines' | 'text' | 'anchor'>;

/**
 * Removes escape sequences and control characters from a string, and shows all other invisible characters as escapes.
 */
export function visibleText(text: string): string {
  return showHiddenMarks(cleanBlock(text));
}

/** Returns the prompt that sends a round of comments. The prompt contains no invisible characters. */
export function reviewPrompt(round: number, comments: readonly PromptComment[]): string {
  const count = comments.length === 1 ? '1 comment' : `${comments.length} comments`;
  const parts = comments.map((comment, index) =>
    [`${index + 1}. ${placeText(comment)}:`, ...quoted(comment.lines), visibleText(comment.text).trim()].join('\n'),
  );
  return [
    `Review of your changes, round ${round}: ${count}.`,
    ...parts,
    'Address each of them. Then report for each number what you did, or why you did nothing.',
  ].join('\n\n');
}

function quoted(lines: readonly string[]): string[] {
  const left = lines.length - MOST_QUOTED_LINES;
  const shown = lines.slice(0, MOST_QUOTED_LINES).map((line) => {
    const text = visibleText(line);
    return `> ${text.length > MOST_QUOTED_CHARS ? `${text.slice(0, MOST_QUOTED_CHARS)} …` : text}`.trimEnd();
  });
  return left > 0 ? [...shown, `> … ${left} more lines`] : shown;
}

/** Returns the place of a comment, such as `src/a.ts, lines 3–5`, followed by what has happened to these lines. */
export function placeText({
  file,
  side,
  line,
  end_line: endLine,
  anchor,
}: Omit<PromptComment, 'text' | 'lines'>): string {
  const [from, to] = [anchor.line ?? line, anchor.end_line ?? endLine];
  const lines = from === to ? `line ${from}` : `lines ${from}–${to}`;
  const of = side === 'base' ? ' of the base (since removed)' : '';
  const became = anchor.state === 'outdated' ? ' when it was written; these lines have changed since' : '';
  return `${shownName(file)}, ${lines}${of}${became}`;
}

/** Returns the state of a round, such as `round 2: delivered`. */
export function roundText({ number, status }: Pick<ReviewRound, 'number' | 'status'>): string {
  return `round ${number}: ${status ?? 'it is not known whether it was sent'}`;
}

/** Returns how many comments are waiting to be sent and how many rounds have been sent. */
export function reviewText({ comments, rounds, round }: Pick<Review, 'comments' | 'rounds' | 'round'>): string {
  const open = comments.length === 1 ? '1 comment' : `${comments.length} comments`;
  const sent = rounds.length === 0 ? '' : `, ${rounds.length === 1 ? '1 round' : `${rounds.length} rounds`} sent`;
  return `round ${round}: ${open} to send${sent}`;
}
