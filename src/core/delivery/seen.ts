import { isAsking, isReady } from '../../protocol/index.ts';
import type { Cover, HookEvidence, Millis, ScreenEvidence, StatusMemory } from '../status/index.ts';
import { boxHolds, draftFillingWindow, isEmptyBox } from './box.ts';
import type { Deliveries } from './record.ts';

/** A moment, given both by the wall clock, which users can set, and by a monotonic count of milliseconds. */
export interface Moment {
  wall: Millis;
  elapsed: Millis;
}

/** What is known about a session's prompt. */
export interface PromptSeen {
  status: Pick<StatusMemory, 'primary' | 'detail' | 'since' | 'question' | 'isInterrupted'>;
  screen: ScreenEvidence | null;
  hooks: HookEvidence;
  /** whether CBOS launched the session; if so, the session has hooks, and its whole output is recorded */
  isLaunched: boolean;
}

/**
 * Whether the session's process continues the conversation that it was to continue: as far as known it does, this has
 * yet to be reported, CBOS no longer waits for the report, or Claude Code has begun another one.
 */
export type Conversed = 'known' | 'awaited' | 'unreported' | 'another';

/** What delivery decisions are based on: everything that is known about a session at one moment. */
export interface Seen extends PromptSeen {
  now: Moment;
  deliveries: Deliveries;
  isDead: boolean;
  /** whether CBOS has parked the session; if so, CBOS holds a message, and the message wakes the session */
  isParked: boolean;
  /** false if the session is only observed, which means that CBOS may not type into it */
  isAdopted: boolean;
  /** whether the queue is paused after an interrupt; see `stopQueue` */
  isQueueStopped: boolean;
  /**
   * whether one of the session's budgets is used up; nothing is typed then, and a message does not wake a parked
   * session
   */
  isOverBudget: boolean;
  /**
   * whether the session has yet to read the text that was typed last; two messages that the session reads together
   * become one prompt
   */
  isUnread: boolean;
  conversed: Conversed;
  /** what Enter does in the prompt instead of submitting it, as bound by the user; null or absent if it submits it */
  enterDoes?: string | null;
  /** whether Claude Code accepts a message as many small pastes, as version 2.1.150 and later do */
  takesManyPastes: boolean;
  /** digits that CBOS typed into dialogs; if a dialog had already closed, its digit ended up in the prompt */
  answerKey: string | null;
  /** when CBOS last cleared the prompt, by the wall clock, or 0 if never */
  clearedAt: Millis;
  left: TextsLeft | null;
  /** what the transcript reports; present only right after the transcript was read */
  told: ToldTexts | null;
  /** whether CBOS was about to press Enter and did not, because a dialog had opened; true only in the next call */
  isEnterWithheld: boolean;
}

/**
 * The messages that a server was typing when it was killed. A placeholder in the prompt may represent either one of
 * them or a user's paste, because both look the same. A placeholder therefore counts only if it appeared soon after the
 * next server started. It continues to count as long as it does not change, because placeholders are numbered.
 */
export interface TextsLeft {
  ids: ReadonlySet<string>;
  /** when the server started, by the monotonic clock */
  begunAt: Millis;
  placeholder: string | null;
}

/** The maximum time between the transcript entries of two messages that were put back together. */
export const TOGETHER_MS = 100;

/** The messages (trimmed) that a transcript reports, each with its wall-clock time. */
export interface ToldTexts {
  /** the messages that Claude Code moved from its queue back into the prompt */
  putBack: ReadonlyMap<string, Millis>;
  /** how many messages with the same text were moved back together, if that were more than one */
  repeated: ReadonlyMap<string, number>;
  /** the messages that a turn took as its prompt and that were not queued again afterwards */
  taken: ReadonlyMap<string, Millis>;
  /** the messages that entered the queue, regardless of what happened to them later */
  queued: ReadonlyMap<string, Millis>;
  /** the messages that were in the queue when the transcript was last written */
  waiting: ReadonlyMap<string, Millis>;
  /** the messages that a hook refused, with the hook's words */
  refused: ReadonlyMap<string, { at: Millis; words: string }>;
}

export const NOTHING_TOLD: ToldTexts = {
  putBack: new Map(),
  repeated: new Map(),
  taken: new Map(),
  queued: new Map(),
  waiting: new Map(),
  refused: new Map(),
};

/** Returns how many messages with this text Claude Code last moved from its queue back into the prompt together. */
export const countPutBack = (told: ToldTexts | null, text: string): number =>
  told?.putBack.has(text) === true ? (told.repeated.get(text) ?? 1) : 0;

/** Returns the unsent text in the prompt, or null if there is none. */
export function draftOf({ screen }: PromptSeen): string | null {
  if (screen?.reading.cover !== 'unknown') return screen?.reading.draft ?? null;
  return screen.reading.draft ?? draftFillingWindow(screen.frame);
}

/** Returns what receives the keypresses instead of the prompt, or null if nothing does. */
export function coverOf({ screen, isLaunched }: PromptSeen): Cover | null {
  const cover = screen?.reading.cover ?? null;
  if (cover !== 'unknown' || screen === null) return cover;
  // If a long message fills the window, the screen shows the prompt without its mark. For an adopted session, CBOS
  // knows only what the session has drawn since it was adopted.
  return draftFillingWindow(screen.frame) !== null || !isLaunched ? null : cover;
}

/** Reports whether the screen shows an empty prompt. */
export function isBoxEmpty(seen: PromptSeen): boolean {
  return seen.screen !== null && isEmptyBox(seen.screen.reading) && !isDialogOpen(seen);
}

/** Reports whether Enter would answer a dialog that is open or about to open. */
export function isDialogOpen({ status, screen }: PromptSeen): boolean {
  if (screen?.reading.dialog != null) return true;
  return isAsking(status);
}

/** Reports whether the screen shows a dialog that the status does not know yet. The status follows within a second. */
export const isDialogNew = (seen: PromptSeen): boolean => isDialogOpen(seen) && !isAsking(seen.status);

/** Reports whether the session is ready and its prompt contains a message that the user or CBOS must still send. */
export const isReadyBelowDraft = (seen: Seen): boolean =>
  draftOf(seen) !== null && isReady(seen.status) && coverOf(seen) === null && !seen.isDead;

/**
 * Reports whether a cover keeps Enter from sending a typed message. A command that begins with `!` opens shell mode on
 * purpose, so that mode is not an obstacle for it. A prompt that is not visible is not an obstacle either, because a
 * long message fills the window.
 */
export function isKeptFromPrompt(seen: PromptSeen, { text, command }: { text: string; command: boolean }): boolean {
  const cover = coverOf(seen);
  const isMeant = cover === 'shell' && command && text.startsWith('!');
  return cover !== null && cover !== 'unknown' && !isMeant;
}

/**
 * Reports whether the prompt is empty again. Built-in commands fire no hook, so the empty prompt is what shows that
 * Claude Code took the command.
 */
export function hasTakenDraft({ screen }: PromptSeen, since: Millis): boolean {
  if (screen === null || screen.reading.cover === 'transcript') return false;
  return screen.progressedAt > since && screen.reading.draft === null;
}

/**
 * Reports whether the beginning of a turn proves that Claude Code took a message. The prompt must be visible and must
 * not contain the text. While the detailed transcript is open, a turn that has ended seems to be running again. While
 * the transcript opens or closes, the prompt is not visible for a few milliseconds. Without this check, CBOS reported a
 * message as delivered although its Enter had gone into a transcript and the text was still in the prompt (2.1.329).
 * @param typed `at` is when the text was typed, by the wall clock
 */
export function hasBegunTurn(seen: PromptSeen, typed: { text: string; at: Millis }): boolean {
  if (seen.status.primary !== 'active' || seen.status.since < typed.at) return false;
  return coverOf(seen) === null && boxHolds(draftOf(seen) ?? '', typed.text) === 'other';
}
