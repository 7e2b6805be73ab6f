/**
 * What every session has. `actor.ts` is what is known of one: its parts are the record (`kept-record.ts`), what comes
 * in about it (`evidence-intake.ts`), its status (`session-status.ts`) and how it spent its days (`time-spent.ts`).
 *
 * - one command after another: `mailbox.ts`
 * - deliveries written down: `delivery-journal.ts`; on a full disk: `patient-writes.ts`, `patient-deliveries.ts`
 * - what an interrupt keeps back, and what lets it go on: `queue-stop.ts`; replies kept for later: `stash.ts`
 * - evidence over a restart, by the clock of then and now: `kept-evidence.ts`
 * - a session as every face shows it: `view.ts`
 */

import type { Answer, Buffer, Session } from '../../protocol/index.ts';
import type { RecordingStream } from '../sessions.ts';
import type { Conversation } from './conversation.ts';
import type { Deliverer } from './delivery-journal.ts';

/**
 * What can be done with one session, whatever its type. What is known of it (record, status, history) is its actor's;
 * how it is reached is this: a screen session through GNU Screen, a JSON session through Claude Code's events.
 */
export interface SessionControls {
  /** the way of texts to its prompt */
  readonly deliverer: Deliverer;
  /** its turns and events; null for a session in a terminal */
  readonly conversation: Conversation | null;
  /**
   * Brings it up, on its conversation where it has one. Only for a session that is dead or was never launched.
   * @throws CatalogueError no_such_path, claude_not_found, launch_failed, and for a screen session path_too_long,
   * screen_not_found
   */
  launch(): Promise<void>;
  /** Finds it again after a restart of the server. */
  findAgain(): Promise<void>;
  /**
   * Ends it with its whole process tree, proven.
   * @throws CatalogueError session_dead, not_adopted, kill_failed
   */
  end(): Promise<void>;
  /**
   * Ends its processes as `end` does, but the session goes on: something else takes its conversation over.
   * @throws CatalogueError already_running, not_adopted, kill_failed
   */
  release(): Promise<void>;
  /** Lets go of what costs something and is not needed now: before the server ends. */
  rest(): Promise<void>;
  /** Gives whatever carries the session's name outside of the record another one; called with the slug reserved. */
  rename(slug: string): Promise<void>;
  /** Its folder is another one from its next start on. */
  moved(): Promise<void>;
  /** @throws CatalogueError no_question, stale_question, no_such_option, not_adopted, not_confirmed */
  answer(request: Answer): Promise<void>;
  /** @throws CatalogueError nothing_running, not_adopted, not_confirmed */
  interrupt(): Promise<void>;
  /** @throws CatalogueError session_dead, not_adopted */
  keys(keys: string): Promise<void>;
  /** @throws CatalogueError session_dead, not_adopted, screen_attached */
  resize(cols: number, rows: number): Promise<Session>;
  /** @throws CatalogueError no_recording */
  buffer(options: { lines: number; format: 'text' | 'ansi' | 'html' }): Promise<Buffer>;
  /** its recording; null where it has none */
  recording(): RecordingStream | null;
  /** lets go of it; what runs goes on running */
  dispose(): void;
}
