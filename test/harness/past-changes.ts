import type { Detail, StatusChange } from '../../src/protocol/index.ts';
import { DETAILS } from '../../src/protocol/status-words.ts';
import type { MemorySessions } from './memory-sessions.ts';

/** Gives a session in memory a history: for each change, a time (`HH:MM:SS` on 20 November 2026) and a detail. */
export function setHistory(
  sessions: MemorySessions,
  slug: string,
  changes: readonly (readonly [string, Detail])[],
): void {
  const { history } = sessions;
  const past = changes.map(([time, detail]): StatusChange => {
    const { primary, state } = DETAILS[detail];
    const because = { source: 'hook' as const, rule: 'hook.Stop', evidence: '' };
    return { at: `2026-11-20T${time}.000Z`, primary, detail, state, health: 'ALIVE', because };
  });
  sessions.history = (of, since) =>
    of === slug ? past.filter((change) => since === null || change.at > since) : history(of, since);
}
