import { CatalogueError, type Review, type ReviewComment, type ReviewSide } from '../../protocol/index.ts';
import { shownName } from '../../text/changes-words.ts';
import type { PatchRow } from '../../text/patch-rows.ts';
import { placeText, reviewText, roundText, visibleText } from '../../text/review-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { EMPTY_EDITOR, edit, insert } from '../input/editor.ts';
import { wrap } from '../view/cells.ts';
import { type Binding, keysOf } from './binding.ts';
import { confirm } from './confirm.ts';
import { showPage } from './text-page.ts';

/** The lines that a comment covers. */
export interface CommentPlace {
  file: string;
  side: ReviewSide;
  line: number;
  endLine: number;
}

/**
 * Returns, for each row of a patch, the file and line that it shows. The place is null if the row shows no line or the
 * file's name is ambiguous.
 */
export function commentPlaces(rows: readonly PatchRow[]): (CommentPlace | null)[] {
  let before: string | null = null;
  let now: string | null = null;
  return rows.map(({ kind, text, old, now: line }) => {
    if (kind === 'file') before = now = null;
    if (kind === 'said') {
      before = nameIn(text, '--- a/') ?? before;
      now = nameIn(text, '+++ b/') ?? now;
    }
    if (line !== null) return now === null ? null : { file: now, side: 'now', line, endLine: line };
    const file = now ?? before;
    return old === null || file === null ? null : { file, side: 'base', line: old, endLine: old };
  });
}

/** git appends a tab to a name that contains a space, and quotes a name with other special characters. */
function nameIn(text: string, mark: string): string | null {
  return text.startsWith(mark) ? text.slice(mark.length).replace(/\t$/, '') : null;
}

/** Returns the lines between two places, or null if the two are not in the same version of the same file. */
export function placeOfRange(one: CommentPlace | null, other: CommentPlace | null): CommentPlace | null {
  if (one === null || other === null || one.file !== other.file || one.side !== other.side) return null;
  return { ...one, line: Math.min(one.line, other.line), endLine: Math.max(one.endLine, other.endLine) };
}

/** Returns the reviewed files. The result is empty if the server is too old to support reviews. */
export async function readReviewed(app: App, slug: string): Promise<ReadonlySet<string>> {
  try {
    return new Set((await app.client.call('review', { params: { slug } })).reviewed);
  } catch (error) {
    if (error instanceof CatalogueError) return new Set();
    throw error;
  }
}

export function markReviewed(
  app: App,
  { slug, file, reviewed }: { slug: string; file: string; reviewed: boolean },
  onDone: () => void,
): void {
  app.run(async () => {
    await app.client.call('markReviewed', { params: { slug }, body: { file, reviewed } });
    app.toast('good', `${shownName(file)} is ${reviewed ? 'reviewed, until it changes' : 'not reviewed'}`);
    onDone();
  });
}

/**
 * Asks the user for a comment on some lines, and saves it. @param onEnd called afterwards, even if there is no comment
 */
export function writeComment(app: App, slug: string, place: CommentPlace, onEnd: () => void): void {
  const { file, side, line, endLine } = place;
  const anchor = { state: 'here' as const, line: null, end_line: null };
  const title = `Comment on ${placeText({ file, side, line, end_line: endLine, anchor })}`;
  let editor = EMPTY_EDITOR;
  let isKeeping = false;
  const leave = (): void => {
    app.close();
    onEnd();
  };
  const save = (): void => {
    const text = editor.text.trim();
    if (text === '') leave();
    // If the user presses Enter twice, add only one comment.
    if (isKeeping || text === '') return;
    isKeeping = true;
    const writing = app.mode();
    app.run(async () => {
      const body = { file, side, line, end_line: endLine, text };
      try {
        await app.client.call('addReviewComment', { params: { slug }, body });
      } finally {
        isKeeping = false;
      }
      if (app.mode() === writing) leave();
      app.toast('good', 'saved: R shows the review, from which you can send it');
    });
  };
  const newLine = (): void => {
    editor = insert(editor, '\n');
  };
  const rows: Binding[] = [
    { keys: ['enter'], does: 'keep it', run: save },
    { keys: ['alt+enter', 'ctrl+j'], does: 'new line', run: newLine },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: leave },
  ];
  app.open({
    ...keysOf(app, rows, (event) => {
      editor = edit(editor, event) ?? editor;
    }),
    input: () => ({ title, mark: '> ', editor, isActive: true }),
  });
}

/** Shows a session's review: the comments that have not been sent yet, and the rounds that have, with their answers. */
export function showReview(app: App, slug: string): void {
  const before = app.mode();
  app.run(async () => {
    const review = await app.client.call('review', { params: { slug } });
    // If the user has opened something else in the meantime, keypresses are meant for that.
    if (app.mode() === before) openReview(app, slug, review);
  });
}

const NO_COMMENTS = 'There are no comments to send';

function openReview(app: App, slug: string, review: Review): void {
  const { prompt, round } = review;
  const lines = (cols: number): string[] =>
    reviewLines(app, review)
      .flatMap((line) => wrap(line, Math.max(10, cols - 2)))
      .map((line) => ` ${line}`);
  showPage(app, `Review of ${cleanLine(slug)}, ${reviewText(review)}`, lines, {
    keys: [
      {
        keys: ['s'],
        does: 'send it',
        disabled: () => (prompt === null ? NO_COMMENTS : null),
        run: () => askToSend(app, { slug, prompt: prompt ?? '', round }),
      },
      {
        keys: ['x'],
        does: 'delete the last comment',
        disabled: () => (review.comments.length === 0 ? NO_COMMENTS : null),
        run: () => removeLast(app, slug, review),
      },
    ],
  });
}

/** Shows the prompt that will be sent. A yes counts only after the end of the prompt has been visible. */
function askToSend(app: App, { slug, prompt, round }: { slug: string; prompt: string; round: number }): void {
  let isRead = false;
  const send = (): void => {
    app.close();
    app.toast('wait', `sending the review to ${slug}…`);
    app.run(async () => {
      const sent = await app.client.call('sendReview', { params: { slug }, body: { prompt } });
      app.toast('good', `${slug}, ${roundText(sent)}`);
    });
  };
  const lines = (cols: number): string[] => prompt.split('\n').flatMap((line) => wrap(line, Math.max(10, cols - 2)));
  showPage(app, `Send this to ${cleanLine(slug)} as round ${round}?`, lines, {
    onEnd: () => {
      isRead = true;
    },
    keys: [
      {
        keys: ['y'],
        does: 'send it',
        run() {
          if (isRead) send();
          else app.toast('wait', 'Read the prompt to the end first: Space and j scroll');
        },
      },
      { keys: ['n'], does: 'leave', run: () => app.close() },
    ],
    input: () => ({ title: '', mark: 'Send it? (y/n) ', editor: EMPTY_EDITOR, isActive: true }),
  });
}

/** Asks for confirmation, then removes the newest comment that has not been sent. */
function removeLast(app: App, slug: string, { comments }: Review): void {
  const last = comments.toSorted((one, other) => one.created_at.localeCompare(other.created_at)).at(-1);
  if (last === undefined) return;
  confirm(app, {
    question: 'Delete this comment?',
    about: `${placeText(last)}\n${visibleText(last.text)}`,
    onYes: async () => {
      await app.client.call('removeReviewComment', { params: { slug, id: last.id } });
      showReview(app, slug);
    },
  });
}

function reviewLines({ dress }: App, { comments, rounds }: Review): string[] {
  const none =
    comments.length === 0 ? ['There are no comments; press c on a line of the changes (d) to write one.', ''] : [];
  return [
    ...none,
    ...comments.flatMap((comment) => [...commentLines(comment), '']),
    ...rounds
      .toReversed()
      .flatMap((round) => [
        dress('bold', roundText(round)),
        ...round.comments.flatMap(commentLines),
        ...(round.answer === null ? ['no answer yet'] : visibleText(round.answer).split('\n')).map(
          (line) => `│ ${line}`,
        ),
        '',
      ]),
  ];
}

function commentLines(comment: ReviewComment): string[] {
  const old = comment.anchor.state === 'outdated' ? comment.lines.map((line) => `> ${visibleText(line)}`) : [];
  return [placeText(comment), ...old, ...visibleText(comment.text).split('\n')];
}
