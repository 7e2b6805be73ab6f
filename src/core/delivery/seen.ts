import { isAsking, isReady } from '../../protocol/index.ts';
import type { Cover, HookEvidence, Millis, ScreenEvidence, StatusMemory } from '../status/index.ts';
import { boxHolds, draftFillingWindow, isEmptyBox } from './box.ts';
import type { Deliveries } from './record.ts';

/** A moment, by the wall clock (which may be set) and by a count of milliseconds that only grows. */
export interface Moment {
  wall: Millis;
  elapsed: Millis;
}

/** What is seen of a session's prompt. */
export interface PromptSeen {
  status: Pick<StatusMemory, 'primary' | 'detail' | 'since' | 'question'>;
  screen: ScreenEvidence | null;
  hooks: HookEvidence;
  /** whether CBOS launched it: then its hooks tell, and everything that it drew is recorded */
  isLaunched: boolean;
}

/** What delivery goes by: everything that is known of a session at one moment. */
export interface Seen extends PromptSeen {
  now: Moment;
  deliveries: Deliveries;
  isDead: boolean;
  /** false: only observed, CBOS may not type into it */
  isAdopted: boolean;
  /** whether an interrupt holds back what waits, see `stopQueue` */
  isQueueStopped: boolean;
  /** whether the session has not read what was typed last: two texts that it reads in one piece become one prompt */
  isUnread: boolean;
  /** whether its Claude Code takes a paste in many small ones, as from 2.1.150 on */
  takesManyPastes: boolean;
  /** digits that were typed into dialogs; where a dialog had gone, they are in the prompt */
  answerKey: string | null;
  /** when CBOS last cleared the prompt, by the wall clock; 0: never */
  clearedAt: Millis;
  left: TextsLeft | null;
  /** what the transcript says; only right after it was read */
  told: ToldTexts | null;
}

/**
 * The texts that a killed server was typing. A placeholder in the prompt may be one of them, or a person's paste: both
 * look the same. So a placeholder counts only where it showed soon after the next server had begun, and as long as it
 * is that very one: they are numbered.
 */
export interface TextsLeft {
  ids: ReadonlySet<string>;
  /** when the server began, of the count that only grows */
  begunAt: Millis;
  placeholder: string | null;
}

/** What a transcript says of texts (trimmed), each with when, by the wall clock. */
export interface ToldTexts {
  /** what Claude Code put back out of its queue into the prompt */
  putBack: ReadonlyMap<string, Millis>;
  /** what a turn took as a prompt, and was not queued again since */
  taken: ReadonlyMap<string, Millis>;
  /** what went into the queue, whatever became of it */
  queued: ReadonlyMap<string, Millis>;
}

export const NOTHING_TOLD: ToldTexts = { putBack: new Map(), taken: new Map(), queued: new Map() };

/** The text that is in the prompt unsent, null where there is none. */
export function draftOf({ screen }: PromptSeen): string | null {
  if (screen?.reading.cover !== 'unknown') return screen?.reading.draft ?? null;
  return screen.reading.draft ?? draftFillingWindow(screen.frame);
}

/** What has the keys in the prompt's place, null where nothing does. */
export function coverOf({ screen, isLaunched }: PromptSeen): Cover | null {
  const cover = screen?.reading.cover ?? null;
  if (cover !== 'unknown' || screen === null) return cover;
  // A long text fills the window: it is the prompt that is seen, without its mark. Of an adopted session only what
  // was drawn since then is known.
  return draftFillingWindow(screen.frame) !== null || !isLaunched ? null : cover;
}

/** Whether the screen shows the prompt, and nothing in it. */
export function isBoxEmpty(seen: PromptSeen): boolean {
  return seen.screen !== null && isEmptyBox(seen.screen.reading) && !isDialogOpen(seen);
}

/** Whether Enter would answer a dialog: one is drawn, or will be. */
export function isDialogOpen({ status, screen }: PromptSeen): boolean {
  if (screen?.reading.dialog != null) return true;
  return isAsking(status);
}

/** Whether the session is ready, and a text is in its prompt that somebody has to send. */
export const isReadyBelowDraft = (seen: Seen): boolean =>
  draftOf(seen) !== null && isReady(seen.status) && coverOf(seen) === null && !seen.isDead;

/**
 * Whether Enter would not send a text that was typed. A `!` at its beginning brings the shell mode itself. A prompt
 * that is not seen is no reason, for a long text fills the window.
 */
export function isKeptFromPrompt(seen: PromptSeen, { text, command }: { text: string; command: boolean }): boolean {
  const cover = coverOf(seen);
  const isMeant = cover === 'shell' && command && text.startsWith('!');
  return cover !== null && cover !== 'unknown' && !isMeant;
}

/** Built-in commands fire no hook: that the prompt is empty again says that Claude Code took one. */
export function hasTakenDraft({ screen }: PromptSeen, since: Millis): boolean {
  if (screen === null || screen.reading.cover === 'transcript') return false;
  return screen.progressedAt > since && screen.reading.draft === null;
}

/**
 * Whether a turn that began says that Claude Code took a text. Only where the prompt is seen, and without the text:
 * below a detailed transcript a turn that ended seems to run again, and while one is drawn, or closed, nothing is seen
 * for some milliseconds. A text whose Enter went into a transcript was called delivered, and was still in the prompt
 * (2.1.329).
 * @param typed `at`: when it was typed, by the wall clock
 */
export function hasBegunTurn(seen: PromptSeen, typed: { text: string; at: Millis }): boolean {
  if (seen.status.primary !== 'active' || seen.status.since < typed.at) return false;
  return coverOf(seen) === null && boxHolds(draftOf(seen) ?? '', typed.text) === 'other';
}
