import type { SessionEnd } from '../../protocol/index.ts';
import { BY_SIGNAL, hasEndedItself } from './loss.ts';

/** What is known about how the Claude Code of a session in a terminal ended. */
export interface EndFacts {
  /** whether someone made CBOS end the session */
  isAsked: boolean;
  /** the exit code in the recording's last line; null if there is none */
  code: number | null;
  /** when the recording was closed, in Unix milliseconds; null if unknown */
  closedAt: number | null;
  /** what Claude Code's SessionEnd hook reported; null if the hook did not arrive */
  hook: { at: number; reason: string | null } | null;
}

/** A shell, and `script`, report that a signal ended a program by this number plus the signal's. */
const SIGNAL_BASE = 128;
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  31: 'SIGSYS',
};

/**
 * Returns how a session ended. Claude Code exits with 143 after SIGTERM, with 129 after SIGHUP, and with 0 after
 * `/exit`, after Ctrl+C typed twice, and after SIGINT. Its hook gives the reason `prompt_input_exit` for the first two
 * and `other` for every signal (2.1.330).
 */
export function howEnded({ isAsked, code, closedAt, hook }: EndFacts): Omit<SessionEnd, 'at'> {
  const exit = code === null ? {} : { exit_code: code };
  if (isAsked) return { by: 'cbos', ...exit };
  if (code === null) return { by: hasEndedItself(hook?.reason ?? null) ? 'user' : 'unknown' };
  if (code === 0) {
    // If `script` itself is terminated, it writes 0, and Claude Code ends only after that (util-linux 2.38).
    if (hook === null) return { by: 'unknown', ...exit };
    if (hasEndedItself(hook.reason)) return { by: 'user', ...exit };
    if (closedAt !== null && hook.at > closedAt) return { by: 'unknown' };
    // A wrapper may have exited with 0 after any signal to Claude Code, so the signal has no name.
    return hook.reason === BY_SIGNAL ? { by: 'signal', ...exit } : { by: 'unknown', ...exit };
  }
  const signal = SIGNALS[code - SIGNAL_BASE];
  if (signal === 'SIGINT') return { by: 'user', ...exit, signal };
  if (signal === undefined) return { by: 'error', ...exit };
  return { by: signal === 'SIGKILL' ? 'killed' : 'signal', ...exit, signal };
}
