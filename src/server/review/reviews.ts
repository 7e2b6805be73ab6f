/**
 * Handles review comments on the changes that sessions have made. Comments are sent in rounds. Each round is sent to
 * the session as a single, ordinary prompt.
 *
 * - finding the current position of a comment's lines: `src/core/review/anchor.ts`
 * - a session's answer to a round: `src/core/review/answer.ts`, saved by `answers.ts`
 * - the files under review: `src/platform/git/review-files.ts`
 * - the stored data: `src/platform/sqlite/review-store.ts`
 */
import { v4 as uuid } from 'uuid';
import { anchorLines, commentedLines } from '../../core/review/anchor.ts';
import { openReviewFiles, type ReviewFiles } from '../../platform/git/review-files.ts';
import type { CommentRecord, ReviewStore, RoundRecord } from '../../platform/sqlite/review-store.ts';
import {
  CatalogueError,
  type Delivery,
  MOST_COMMENTED_LINES,
  MOST_COMMENTS,
  type NewReviewComment,
  type Review,
  type ReviewComment,
  type ReviewedFile,
  type ReviewRound,
} from '../../protocol/index.ts';
import { reviewPrompt, visibleText } from '../../text/review-words.ts';
import { requireFolder } from '../changes/session-changes.ts';
import type { Clock } from '../clock.ts';
import { toTimestamp } from '../session/view.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { keepAnswers } from './answers.ts';

export interface Reviews {
  /** @throws CatalogueError no_such_session */
  review(slug: string): Promise<Review>;
  /** @throws CatalogueError no_such_line, too_many_comments, and everything that `openReviewFiles` throws */
  add(slug: string, request: NewReviewComment): Promise<ReviewComment>;
  /** @throws CatalogueError no_such_comment */
  remove(slug: string, id: string): Promise<ReviewComment>;
  /**
   * @throws CatalogueError no_comments, review_changed, and everything that `send` throws; if it throws, the comments
   * are still open
   */
  send(slug: string, shown: string): Promise<ReviewRound>;
  /** @throws CatalogueError no_such_file, and everything that `openReviewFiles` throws */
  mark(slug: string, request: ReviewedFile): Promise<Review>;
  dispose: Dispose;
}

export interface ReviewsOptions {
  store: ReviewStore;
  sessions: Pick<Sessions, 'get' | 'send' | 'delivery' | 'transcript' | 'onEvent'>;
  /** returns the session's id, which stays the same when the session is renamed or restarted */
  idOf(slug: string): string;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  clock: Pick<Clock, 'now'>;
  log: { warn(fields: object, message: string): void };
}

/**
 * The errors which mean that a session's folder cannot be read at the moment. The session's comments are then kept and
 * shown as outdated.
 */
const UNREADABLE: ReadonlySet<string> = new Set(['no_such_path', 'not_a_repository', 'git_not_found', 'git_failed']);
/** The statuses of a prompt that never reached the session and never will. */
const NOT_SENT: ReadonlySet<Delivery['status']> = new Set(['cancelled', 'failed']);

export function createReviews(options: ReviewsOptions): Reviews {
  const { store, sessions, idOf, environment, clock } = options;
  const answers = keepAnswers(options);
  /** the sessions that are just being sent a round; a second request for the same session waits for the first */
  const sending = new Map<string, Promise<ReviewRound>>();

  const open = async (slug: string): Promise<ReviewFiles> =>
    openReviewFiles(await requireFolder(environment, sessions.get(slug)), environment);
  const openIfThere = (slug: string): Promise<ReviewFiles | null> =>
    open(slug).catch((error: unknown) => {
      if (error instanceof CatalogueError && UNREADABLE.has(error.code)) return null;
      throw error;
    });

  /** Removes a round whose prompt never arrived, which makes its comments open again. */
  function dropUnsent(slug: string): void {
    const last = store.rounds(idOf(slug)).at(-1);
    if (last === undefined || last.deliveryId === null) return;
    const status = statusOf(sessions, slug, last);
    if (status !== null && NOT_SENT.has(status)) store.undoRound(last.sessionId, last.number);
  }

  async function read(slug: string): Promise<Review> {
    sessions.get(slug);
    await answers.settled(slug);
    dropUnsent(slug);
    const id = idOf(slug);
    const files = await openIfThere(slug);
    const comments = await anchored(store.comments(id), files);
    const roundOf = new Map(store.comments(id).map((record) => [record.id, record.round]));
    const inRound = (number: number | null) => comments.filter((one) => roundOf.get(one.id) === number);
    const rounds = store.rounds(id);
    const unsent = rounds.find(({ deliveryId }) => deliveryId === null);
    const round = (rounds.at(-1)?.number ?? 0) + 1;
    const inOpen = inRound(null);
    return {
      round: unsent?.number ?? round,
      comments: unsent === undefined ? inOpen : inRound(unsent.number),
      prompt: unsent?.prompt ?? (inOpen.length === 0 ? null : reviewPrompt(round, inOpen)),
      rounds: rounds
        .filter((one) => one !== unsent)
        .map((one) => toRound(one, statusOf(sessions, slug, one), inRound(one.number))),
      reviewed: files === null ? [] : await stillReviewed(store, id, files),
    };
  }

  return {
    review: read,
    add: async (slug, request) => {
      const files = await open(slug);
      const lines = await files.lines(request.file, request.side ?? 'now');
      const sessionId = idOf(slug);
      const record: CommentRecord = {
        ...{ id: uuid(), sessionId, round: null, createdAt: clock.now() },
        ...commentOn(lines, request),
      };
      if (store.comments(sessionId).filter(({ round }) => round === null).length >= MOST_COMMENTS) {
        throw new CatalogueError('too_many_comments');
      }
      store.addComment(record);
      return toComment(record, anchorLines(record, lines));
    },
    remove: async (slug, id) => {
      dropUnsent(slug);
      const record = store.comments(idOf(slug)).find((one) => one.id === id && one.round === null);
      if (record === undefined) {
        const name = JSON.stringify(id.slice(0, 80));
        throw new CatalogueError('no_such_comment', `No comment in the open round has the id ${name}`);
      }
      store.removeComment(id);
      const [comment] = await anchored([record], await openIfThere(slug));
      return comment as ReviewComment;
    },
    send: async (slug, shown) => {
      const id = idOf(slug);
      const before = sending.get(id)?.catch(() => undefined) ?? Promise.resolve();
      const sent = before.then(async () => sendRound(options, slug, { ...(await read(slug)), shown }));
      sending.set(id, sent);
      try {
        return await sent;
      } finally {
        if (sending.get(id) === sent) sending.delete(id);
      }
    },
    mark: async (slug, { file, reviewed }) => {
      const digest = reviewed ? await (await open(slug)).digest(file) : null;
      if (reviewed && digest === null) {
        throw new CatalogueError('no_such_file', `The working tree has no file ${JSON.stringify(file.slice(0, 200))}`);
      }
      store.mark(idOf(slug), file, digest === null ? null : { digest, at: clock.now() });
      return read(slug);
    },
    dispose: answers.dispose,
  };
}

async function anchored(records: readonly CommentRecord[], files: ReviewFiles | null): Promise<ReviewComment[]> {
  const texts = new Map<string, Promise<readonly string[] | null>>();
  const read = ({ file, side }: CommentRecord): Promise<readonly string[] | null> => {
    const key = `${side} ${file}`;
    // The comments on a file that has become too large are outdated.
    const text = texts.get(key) ?? files?.lines(file, side).catch(nullIfTooLarge) ?? Promise.resolve(null);
    texts.set(key, text);
    return text;
  };
  const shown = await Promise.all(
    records.map(async (record) => toComment(record, anchorLines(record, await read(record)))),
  );
  return shown.sort(byPlace);
}

function statusOf(
  sessions: ReviewsOptions['sessions'],
  slug: string,
  { deliveryId }: RoundRecord,
): Delivery['status'] | null {
  if (deliveryId === null) return null;
  try {
    return sessions.delivery(slug, deliveryId).status;
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'no_such_delivery') return null;
    throw error;
  }
}

async function stillReviewed(store: ReviewStore, id: string, files: ReviewFiles): Promise<string[]> {
  const reviewed: string[] = [];
  for (const [file, digest] of store.marks(id)) {
    if ((await files.digest(file)) === digest) reviewed.push(file);
    else store.mark(id, file, null);
  }
  return reviewed;
}

/**
 * Saves the round first, and then sends its prompt with the round's own idempotency key. Even if the server crashes
 * between the two steps, the prompt is delivered only once, however often it is sent with that key.
 */
async function sendRound(
  { store, sessions, idOf, clock }: ReviewsOptions,
  slug: string,
  { prompt, round: number, comments, shown }: Review & { shown: string },
): Promise<ReviewRound> {
  if (prompt === null) throw new CatalogueError('no_comments');
  if (prompt !== shown) throw new CatalogueError('review_changed');
  const sessionId = idOf(slug);
  const begun = store.rounds(sessionId).find((one) => one.number === number);
  const record: RoundRecord = begun ?? {
    ...{ sessionId, number, prompt, key: `review ${uuid()}`, sentAt: clock.now() },
    ...{ deliveryId: null, answer: null, answeredAt: null },
  };
  const ids = comments.map(({ id }) => id);
  if (begun === undefined) store.beginRound(record, ids);
  const delivery = await sessions
    .send(slug, { text: prompt, queue: true, idempotency_key: record.key })
    .catch((error: unknown) => {
      // The prompt was refused, so nothing has been sent, and the round is removed again.
      if (error instanceof CatalogueError) store.undoRound(sessionId, number);
      throw error;
    });
  const sent = { ...record, deliveryId: delivery.id };
  store.saveRound(sent);
  return toRound(sent, delivery.status, comments);
}

/** @throws CatalogueError no_such_line, invalid_request */
function commentOn(
  lines: readonly string[] | null,
  { file, line, end_line: endLine = line, side = 'now', text: given }: NewReviewComment,
): Omit<CommentRecord, 'id' | 'sessionId' | 'round' | 'createdAt'> {
  const found = lines === null ? null : commentedLines(lines, line, endLine);
  if (found === null || endLine - line >= MOST_COMMENTED_LINES) {
    throw new CatalogueError('no_such_line', noSuchLine({ file, line, endLine, has: lines?.length ?? null }));
  }
  const text = visibleText(given).trim();
  if (text === '') throw new CatalogueError('invalid_request', 'The comment contains only control characters');
  return { file, side, ...found, endLine, text };
}

function nullIfTooLarge(error: unknown): null {
  if (error instanceof CatalogueError && error.code === 'no_such_line') return null;
  throw error;
}

function noSuchLine(of: { file: string; line: number; endLine: number; has: number | null }): string {
  const name = JSON.stringify(of.file.slice(0, 200));
  if (of.has === null) return `${name} isn't a text file in the working tree`;
  const lines = of.line === of.endLine ? `no line ${of.line}` : `no lines ${of.line}-${of.endLine}`;
  return `${name} has ${lines}, because it has only ${of.has} lines`;
}

function toComment(record: CommentRecord, anchor: ReviewComment['anchor']): ReviewComment {
  const { id, file, side, line, endLine, text, before, lines, after, createdAt } = record;
  const context = { before: [...before], lines: [...lines], after: [...after] };
  return { id, file, side, line, end_line: endLine, text, ...context, anchor, created_at: toTimestamp(createdAt) };
}

function toRound(record: RoundRecord, status: Delivery['status'] | null, comments: ReviewComment[]): ReviewRound {
  const { number, prompt, sentAt, deliveryId, answer, answeredAt } = record;
  return {
    ...{ number, sent_at: toTimestamp(sentAt), prompt, delivery_id: deliveryId, status, comments, answer },
    answered_at: answeredAt === null ? null : toTimestamp(answeredAt),
  };
}

function byPlace(one: ReviewComment, other: ReviewComment): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return (one.anchor.line ?? one.line) - (other.anchor.line ?? other.line);
}
