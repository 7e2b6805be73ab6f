import type { Session } from '../../src/protocol/index.ts';
import type { FacesUnderTest } from './faces.ts';
import { someSession } from './some-session.ts';

/**
 * Runs a turn of a session in memory. Its files are saved as the real server saves them.
 * @param turn.work changes the files
 * @param turn.began when the turn begins and ends; default: now
 */
export async function runTurn(
  { sessions, call }: Pick<FacesUnderTest, 'sessions' | 'call'>,
  slug: string,
  { prompt, work, ...times }: { prompt: string; work(): void; began?: string; ended?: string },
): Promise<void> {
  const become = (
    primary: Session['status']['primary'],
    detail: Session['status']['detail'],
    since = new Date().toISOString(),
  ): Session => sessions.change(slug, { status: { ...someSession(slug).status, primary, detail, since } });
  sessions.prompts.set(slug, { at: Date.now(), text: prompt });
  become('active', 'thinking', times.began);
  // The answer waits until the files are saved.
  await call(`/sessions/${slug}/turns`);
  work();
  become('idle', 'waiting_input', times.ended);
  await call(`/sessions/${slug}/turns`);
}
