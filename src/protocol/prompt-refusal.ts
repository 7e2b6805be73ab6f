import type { ClaudeEvent } from './json-session.ts';

/** One of the user's own `UserPromptSubmit` hooks has refused a prompt. */
export interface PromptRefusal {
  /** the hook's own words */
  words: string;
  /** the prompt as Claude Code quotes it, or null if it quotes none */
  prompt: string | null;
}

/** What Claude Code writes if a hook exits with code 2 or prints `decision: "block"` (2.1.330). */
const BLOCKED = /^UserPromptSubmit operation blocked by hook:\s*([\s\S]*)$/;
/**
 * What Claude Code writes if a hook prints `continue: false`, with its `stopReason` if it prints one. The prompt stays
 * in the conversation (2.1.330).
 */
const STOPPED = /^Operation stopped by hook(?::\s*([\s\S]*))?$/;
const QUOTED = /(?:^|\s*\n\s*)Original prompt: ?([\s\S]*)$/;
/** The command of the hook, which precedes what it wrote to standard error. */
const COMMAND = /^\[[^\n]*?\]: /;

/** Reads the notice about a refused prompt, or returns null for any other text. */
export function readPromptRefusal(notice: string): PromptRefusal | null {
  const said = BLOCKED.exec(notice)?.[1];
  if (said === undefined) return null;
  const words = said.replace(QUOTED, '').replace(COMMAND, '').trim();
  return { words: words === '' ? NO_REASON : words, prompt: QUOTED.exec(said)?.[1]?.trim() ?? null };
}
const NO_REASON = 'it gives no reason';

/**
 * Returns why a hook did not let a turn begin, or null if it did. Claude Code reports such a turn as a success without
 * turns, with the notice as its answer (2.1.330).
 */
export function refusalOf(event: ClaudeEvent): string | null {
  if (event.type !== 'result' || event.num_turns !== 0 || typeof event.result !== 'string') return null;
  const stopped = STOPPED.exec(event.result);
  return readPromptRefusal(event.result)?.words ?? (stopped === null ? null : stopped[1]?.trim() || NO_REASON);
}

/** Says that a hook refused a prompt. */
export const refusalNote = (words: string): string => `One of your own hooks refused the prompt: ${words}`;

/**
 * Returns a note that one of the user's own hooks ended a turn or did not let it begin; otherwise null. If a hook of a
 * tool call prints `continue: false`, Claude Code reports a success without an answer and without the hook's words
 * (2.1.330).
 */
export function hookNoteOf(event: ClaudeEvent): string | null {
  const words = refusalOf(event);
  if (words !== null) return refusalNote(words);
  const isStopped = event.type === 'result' && event.terminal_reason === 'hook_stopped';
  return isStopped ? 'One of your own hooks stopped the turn' : null;
}

/**
 * Reports whether a result ends an interrupted turn. Claude Code 2.1.329 reports why the turn ended. In older versions,
 * only an interrupt produces an `error_during_execution` without any text.
 */
export const isAborted = ({ terminal_reason: reason, subtype }: ClaudeEvent): boolean =>
  typeof reason === 'string' ? reason.startsWith('aborted') : subtype === 'error_during_execution';
