import { setTimeout as delay } from 'node:timers/promises';
import { answerTo } from '../../core/review/answer.ts';
import type { ReviewStore } from '../../platform/sqlite/review-store.ts';
import { CatalogueError, type Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose, Sessions } from '../sessions.ts';

/**
 * How many times to read a conversation again if a turn has ended but its last message is still missing. Claude Code
 * writes that message a moment after its hook has reported the end of the turn.
 */
const TRIES = 6;
const TRY_AGAIN_MS = 150;

export interface Answers {
  /** Resolves when the answers of a session that are already known have been saved. */
  settled(slug: string): Promise<void>;
  dispose: Dispose;
}

export interface AnswersOptions {
  store: Pick<ReviewStore, 'rounds' | 'saveRound'>;
  sessions: Pick<Sessions, 'get' | 'transcript' | 'onEvent'>;
  idOf(slug: string): string;
  clock: Pick<Clock, 'now'>;
  log: { warn(fields: object, message: string): void };
}

/** Saves a session's answer to a round of comments when the turn for that round ends. */
export function keepAnswers({ store, sessions, idOf, clock, log }: AnswersOptions): Answers {
  const looking = new Map<string, Promise<void>>();
  let isDisposed = false;

  async function look(slug: string): Promise<void> {
    for (let attempt = 1; attempt <= TRIES && !isDisposed; attempt++) {
      const open = store.rounds(idOf(slug)).filter(({ answer }) => answer === null);
      if (open.length === 0) return;
      const { events } = await sessions.transcript(slug, null);
      let isWaiting = false;
      for (const round of open) {
        const found = answerTo(round.prompt, events);
        if (found === null) continue;
        if (found.text !== null && (found.isOver || isTurnOver(sessions.get(slug)))) {
          store.saveRound({ ...round, answer: found.text, answeredAt: clock.now() });
        } else isWaiting ||= !found.isOver && isTurnOver(sessions.get(slug));
      }
      if (!isWaiting) return;
      await delay(TRY_AGAIN_MS);
    }
  }

  function begin(slug: string): Promise<void> {
    const running = looking.get(slug);
    if (running !== undefined) return running;
    const started = look(slug)
      .catch((cause: unknown) => {
        // The session was deleted, or has no conversation that can be read.
        if (!(cause instanceof CatalogueError)) log.warn({ slug, err: cause }, 'the answer to a review was not read');
      })
      .finally(() => looking.delete(slug));
    looking.set(slug, started);
    return started;
  }

  const stop = sessions.onEvent((event) => {
    if (event.kind === 'state' && isTurnOver(event.session)) void begin(event.session.slug);
  });
  return {
    settled: begin,
    dispose: () => {
      isDisposed = true;
      stop();
    },
  };
}

function isTurnOver({ status: { primary, question } }: Session): boolean {
  return primary === 'idle' || primary === 'dead' || question?.kind === 'closing';
}
