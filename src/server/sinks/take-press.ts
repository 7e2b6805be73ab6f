import { questionOf } from '../../core/sinks/notice.ts';
import type { Press, PressReply } from '../../platform/sinks/index.ts';
import type { OutboxMessage, OutboxStore } from '../../platform/sqlite/outbox-store.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { Sessions } from '../sessions.ts';
import type { Standing } from './message-steps.ts';

const STALE = 'This question is no longer open. Nothing was changed.';

/**
 * Answers the question whose button was pressed. A button cannot do anything else. The press contains a code that
 * nobody can guess, which identifies one question in one sink, and the key of one of the answers that were shown.
 */
export async function takePress(
  { code, key }: Press,
  options: {
    sinkId: string;
    store: OutboxStore;
    tests: ReadonlySet<string>;
    standingOf(message: OutboxMessage): Standing;
    sessions: Pick<Sessions, 'answer'>;
    log: Logger;
  },
): Promise<PressReply> {
  const { sinkId, store, tests, standingOf, sessions, log } = options;
  if (tests.has(code))
    return { isDone: true, isOurs: true, text: 'The test was successful: CBOS receives button presses.' };
  const message = store.byCode(sinkId, code);
  if (message === null) return { isDone: false, isOurs: false, text: STALE };
  const refused = (text: string): PressReply => ({ isDone: false, isOurs: true, text });
  const button = message.notice?.buttons.find((one) => one.key === key);
  const standing = standingOf(message);
  const question = standing.kind === 'open' ? questionOf(standing.session, message.need) : null;
  if (button === undefined || standing.kind !== 'open' || question === null) {
    return refused(
      standing.kind === 'unknown'
        ? 'CBOS does not know yet whether this question is still open. Try again in a moment.'
        : STALE,
    );
  }
  const { slug } = standing.session;
  const note = (ended: string | null): void => {
    const now = store.get(message.id);
    if (now !== null) store.save({ ...now, ended });
  };
  try {
    // The note must be saved before the answer is given, because the answer may close the message immediately.
    note(`Answered here: ${button.label}.`);
    await sessions.answer(slug, { ...button.answer, question_id: question.id });
  } catch (cause) {
    note(null);
    if (!(cause instanceof CatalogueError)) {
      log.error({ slug, err: cause }, 'an answer from a sink failed');
      return refused("The question could not be answered; see server.log in CBOS's home.");
    }
    return refused(STALE_CODES.has(cause.code) ? STALE : `${cause.message}.`);
  }
  const text = `${slug}: ${button.label}`;
  log.info({ slug, answer: button.key }, 'a question was answered from a sink');
  return { isDone: true, isOurs: true, text };
}

const STALE_CODES: ReadonlySet<string> = new Set(['stale_question', 'no_question', 'no_such_session']);
