import type { Session } from '../../src/protocol/index.ts';
import type { FacesUnderTest } from './faces.ts';
import { someSession } from './some-session.ts';

/** Runs a turn of a session in memory. Its files are saved as the real server saves them. @param work changes them */
export async function runTurn(
  { sessions, call }: Pick<FacesUnderTest, 'sessions' | 'call'>,
  slug: string,
  { prompt, work }: { prompt: string; work(): void },
): Promise<void> {
  const become = (primary: Session['status']['primary'], detail: Session['status']['detail']): Session =>
    sessions.change(slug, {
      status: { ...someSession(slug).status, primary, detail, since: new Date().toISOString() },
    });
  sessions.prompts.set(slug, { at: Date.now(), text: prompt });
  become('active', 'thinking');
  // The answer waits until the files are saved.
  await call(`/sessions/${slug}/turns`);
  work();
  become('idle', 'waiting_input');
  await call(`/sessions/${slug}/turns`);
}
