import type { ActorDeps, SessionActor } from '../session/actor.ts';
import { createSessionRecording } from '../session/recording.ts';

/**
 * Ties a session to the recording that its record names: what it draws becomes evidence. A session that had one before keeps
 * the object, so whoever listens to it is told of the reset.
 * @param size where the recording itself does not say
 */
export async function followRecording(
  deps: ActorDeps,
  actor: SessionActor,
  size: { cols: number; rows: number },
): Promise<void> {
  const files = actor.record.recording;
  if (files === null) return;
  const { cols, rows } = size;
  if (actor.recording !== null) {
    await actor.recording.replace(files, { cols, rows });
    return;
  }
  actor.recording = createSessionRecording({
    slug: () => actor.slug,
    files,
    size: { cols, rows },
    clock: deps.clock,
    onFrame: (frame, at) => actor.seeScreen(frame, at),
    onResize: (newCols, newRows) => deps.emit({ kind: 'resized', slug: actor.slug, cols: newCols, rows: newRows }),
  });
  await actor.recording.follow();
}
