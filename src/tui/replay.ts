import { CatalogueError, type SeenSession } from '../protocol/index.ts';
import type { App } from './app.ts';

/**
 * Returns the path of a recording, as reported by the server. It may differ from the directory in this program's own
 * settings, for example in a demo.
 */
export async function recordingFile(app: App, slug: string, recording?: string): Promise<string> {
  const query = recording === undefined || recording === slug ? {} : { recording };
  // An older server does not send this field.
  const { file }: { file?: string } = await app.client.call('replay', { params: { slug }, query });
  return file ?? recording ?? slug;
}

export function replay(app: App, session: SeenSession): void {
  replayFrom(app, { slug: session.slug, recording: session.slug, seconds: 0 });
}

/** Plays a recording from a given time. @param at.recording the session's slug, or `SLUG.N` for an earlier recording */
export function replayFrom(app: App, at: { slug: string; recording: string; seconds: number }): void {
  app.run(async () => {
    const file = await recordingFile(app, at.slug, at.recording);
    const from = at.seconds > 0 ? ['--from', at.seconds.toFixed(1)] : [];
    const code = await app.lendTerminal(() => app.host.runHere(['replay', file, ...from]));
    if (code !== 0) throw new CatalogueError('no_recording');
    app.toast('good', `back from the recording of ${at.slug}`);
  });
}
