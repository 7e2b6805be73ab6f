import { renameScreen } from '../../platform/gnu-screen/index.ts';
import { renameRecording } from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { SessionActor } from '../session/actor.ts';
import { pointRecording } from './keep-logging.ts';
import { type LaunchContext, recordingFiles } from './launch-session.ts';

/** Renames a session, its Screen session and the files of its recording. */
export async function renameSession(context: LaunchContext, actor: SessionActor, slug: string): Promise<void> {
  // Before the Screen session is renamed, this write proves that the change can be saved.
  actor.commit({});
  const before = actor.record;
  /** A session that is only observed keeps the name that its owner gave it in Screen. */
  const isNamedByUs = (): boolean => before.adopted && before.screenId !== null && !actor.isDead();
  const renamed = await renameOutside(context, { record: before, isOurs: isNamedByUs() }, slug);
  try {
    actor.commit({ slug, ...renamed });
  } catch (cause) {
    const record = { ...before, slug, screenId: renamed.screenId };
    await renameOutside(context, { record, isOurs: isNamedByUs() }, before.slug);
    throw cause;
  }
  if (renamed.recording === null) return;
  actor.recording?.moved(renamed.recording);
  if (isNamedByUs()) await pointRecording(context.screen, actor);
}

async function renameOutside(
  { screen, settings }: LaunchContext,
  { record, isOurs }: { record: SessionRecord; isOurs: boolean },
  slug: string,
): Promise<Pick<SessionRecord, 'screenId' | 'recording'>> {
  const { screenId: id, daemon, recording } = record;
  const screenId = id !== null && isOurs ? await renameScreen(screen, { id, daemon }, slug) : id;
  if (recording === null) return { screenId, recording };
  await renameRecording(settings.stream_dir, record.slug, slug);
  const { typescript, timing } = recordingFiles(settings.stream_dir, slug);
  return { screenId, recording: { typescript, timing: recording.timing === null ? null : timing } };
}
