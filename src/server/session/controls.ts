/**
 * This directory contains what every session needs, whatever its type. `actor.ts` holds the state of one session: its
 * record (`kept-record.ts`), the evidence about it (`evidence-intake.ts`), its status (`session-status.ts`), and how it
 * spent its time on each day (`time-spent.ts`).
 *
 * - running commands one at a time: `mailbox.ts`
 * - the journal of deliveries: `delivery-journal.ts`
 * - writes that are postponed while the disk is full: `patient-writes.ts`, `patient-deliveries.ts`
 * - pausing a session's queue after an interrupt: `queue-stop.ts`
 * - replies kept for later: `stash.ts`
 * - the context, cost, and model of a terminal session: `figures.ts`
 * - keeping evidence across a restart, even if the clock is set in between: `kept-evidence.ts`
 * - how every face shows a session: `view.ts`
 * - where a session's conversation is, and whether a launch can continue it: `session-conversation.ts`
 * - the parts that only a terminal session uses: its recording (`session-recording.ts`), recordings that stop because
 *   the disk is full (`recording-gap.ts`), whether what was typed has been read (`unread-input.ts`), and keypresses
 *   that Screen itself takes (`screen-prompt.ts`)
 */

import type { RestorePlan } from '../../core/restore/plan.ts';
import type { ProcessId } from '../../platform/process/index.ts';
import type { Answer, Buffer, RestartedSession, Session, StandingChoices } from '../../protocol/index.ts';
import type { RecordingStream } from '../sessions.ts';
import type { Conversation } from './conversation.ts';
import type { Deliverer } from './delivery-journal.ts';

/** The processes of a terminal session. */
export interface LaunchedProcesses {
  screenId: string;
  daemon: ProcessId;
  agent: ProcessId;
}

/** Where a launch gets its conversation; see `RestartedSession`. */
export type ConversationSource = NonNullable<RestartedSession['conversation']>;

/**
 * The operations on one session, whatever its type. The actor holds the session's state, and the controls act on the
 * session: on a terminal session through GNU Screen, and on a JSON session through Claude Code's input and events.
 */
export interface SessionControls {
  /** sends prompts to the session */
  readonly deliverer: Deliverer;
  /** the session's turns and events; null for a terminal session */
  readonly conversation: Conversation | null;
  /**
   * Starts the session, continuing its conversation if it has one. Call this only for a session that is dead or has
   * never been launched.
   * @throws CatalogueError no_such_path, claude_not_found, launch_failed, and, for a screen session, path_too_long,
   * screen_not_found
   * @returns where the conversation comes from
   */
  launch(): Promise<ConversationSource>;
  /**
   * Parks the session: ends its processes to free their memory. The next prompt wakes the session, which then continues
   * its conversation.
   * @throws CatalogueError not_parkable, no_terminal, session_dead, not_adopted, kill_failed
   */
  park(): Promise<void>;
  /**
   * Wakes a parked session. Does nothing if the session is not parked.
   * @throws CatalogueError session_dead, session_in_use, no_such_conversation, and everything that `launch` throws
   */
  wake(): Promise<void>;
  /**
   * Returns what a restoration would do with the session at the moment.
   * @param isByItself whether the server restores the session on its own, without a request from a person
   */
  planRestore(isByItself: boolean): Promise<RestorePlan>;
  /**
   * Restores a lost session, and waits until it shows its prompt or a dialog. Does nothing if the plan is to leave the
   * session as it is.
   * @throws CatalogueError session_in_use, kill_failed, and everything that `launch` throws; the session then stays
   * lost
   */
  restore(isByItself: boolean): Promise<RestorePlan>;
  /** Completes what a killed server had begun. Call this once all evidence has arrived. */
  settle(): Promise<void>;
  /** Finds the session again after a server restart. */
  findAgain(): Promise<void>;
  /** Takes over the processes that a killed server had just launched. Undefined for a session without a terminal. */
  takeLaunched?(found: LaunchedProcesses): Promise<void>;
  /**
   * Ends the session with its whole process tree, and verifies that it is gone.
   * @throws CatalogueError session_dead, not_adopted, kill_failed
   */
  end(): Promise<void>;
  /**
   * Ends the session's processes as `end` does, but the session itself continues, because other processes take over its
   * conversation.
   * @param how whether the processes end even if only they still have the whole conversation; by default not
   * @throws CatalogueError already_running, not_adopted, kill_failed, no_such_conversation
   */
  release(how?: { canLose: boolean }): Promise<void>;
  /** Releases resources that the session does not need at the moment. Called before the server ends. */
  rest(): Promise<void>;
  /** Renames everything outside the record that contains the session's name. The caller has reserved the new slug. */
  rename(slug: string): Promise<void>;
  /** Call this when the session's folder has been changed. The change takes effect when the session next starts. */
  moved(): Promise<void>;
  /** @throws CatalogueError no_question, stale_question, no_such_option, not_adopted, not_confirmed */
  answer(request: Answer): Promise<void>;
  /** Returns what answering "always" to an open question would allow, in this session and in its project. */
  standing(questionId: string): StandingChoices;
  /** @throws CatalogueError nothing_running, not_adopted, not_confirmed */
  interrupt(): Promise<void>;
  /** @throws CatalogueError session_dead, not_adopted */
  keys(keys: string): Promise<void>;
  /** @throws CatalogueError session_dead, not_adopted, screen_attached */
  resize(cols: number, rows: number): Promise<Session>;
  /** @throws CatalogueError no_recording */
  buffer(options: { lines: number; format: 'text' | 'ansi' | 'html' }): Promise<Buffer>;
  /** Returns the session's recording; null if it has none. */
  recording(): RecordingStream | null;
  /** Releases the session's resources in the server. Its processes keep running. */
  dispose(): void;
}
