import type { Session, SessionEnd } from '../protocol/index.ts';
import { formatClock } from './durations.ts';
import { cleanLine } from './terminal-text.ts';

/** The end of a session, as far as it is told. An older server does not send these fields. */
export type Ended = Partial<Pick<Session, 'ended' | 'interrupted_at'>>;

/**
 * Returns how a session ended, such as `ended with exit code 1`, or an empty string if it has not ended or CBOS ended
 * it on request.
 */
export function endText({ ended }: Ended): string {
  if (ended === undefined || ended.by === 'cbos') return '';
  return HOW[ended.by]?.(ended) ?? '';
}

/** The signals that a program's own faults cause. */
const CRASHES: ReadonlySet<string> = new Set(['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGTRAP', 'SIGSYS']);

const HOW: Readonly<Partial<Record<SessionEnd['by'], (end: SessionEnd) => string>>> = {
  user: () => 'ended in Claude Code itself',
  signal: ({ signal }) =>
    CRASHES.has(signal ?? '')
      ? `ended with ${cleanLine(signal ?? '')}, as a program does when it crashes`
      : `another program ended it with ${cleanLine(signal ?? 'a signal')}`,
  killed: () => 'killed (SIGKILL), as the kernel does when memory runs out',
  error: ({ exit_code }) => `ended with exit code ${exit_code ?? 1}`,
  unknown: ({ exit_code }) =>
    exit_code === undefined
      ? 'ended, but CBOS does not know how'
      : `ended with exit code ${exit_code}, but CBOS does not know how`,
};

/** Returns a note that the session's last turn was interrupted, or an empty string if it was not. */
export function interruptedText({ interrupted_at }: Ended): string {
  const at = Date.parse(interrupted_at ?? '');
  return Number.isNaN(at)
    ? ''
    : `its turn was interrupted at ${formatClock(at)}; a prompt such as "continue" resumes it`;
}
