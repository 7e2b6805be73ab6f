import { dirname } from 'node:path';
import { rotateRecording } from '../../platform/recorder/index.ts';
import { createSessionRecording, type SessionRecording } from '../screen/recording.ts';
import type { ActorDeps, SessionActor } from '../session/actor.ts';
import { coalesce } from '../stream/coalesce.ts';

/** What came is indexed a second later; each word to the index's thread costs 10 µs, at a thousand writes a second too much. */
const NUDGE_INTERVAL_MS = 500;

/**
 * Ties a session to the recording that its record names, without reading it yet. A session that had one before keeps the
 * object, so its listeners hear of the reset.
 * @param size where the recording itself does not say
 */
export function openRecording(
  deps: ActorDeps,
  actor: SessionActor,
  size: { cols: number; rows: number },
): SessionRecording | null {
  const files = actor.record.recording;
  if (files === null) return null;
  const { cols, rows } = size;
  if (actor.recording !== null) {
    actor.recording.replace(files, { cols, rows });
    return actor.recording;
  }
  actor.recording = createSessionRecording({
    slug: () => actor.slug,
    files,
    size: { cols, rows },
    clock: deps.clock,
    onFrame: (frame, at) => actor.seeScreen(frame, at),
    onResize: (newCols, newRows) => deps.emit({ kind: 'resized', slug: actor.slug, cols: newCols, rows: newRows }),
    onFault: (cause) => deps.log.warn({ slug: actor.slug, err: cause }, 'its recording could not be read'),
    onAside: (cause) => {
      if (cause !== null) {
        deps.log.error({ slug: actor.slug, err: cause }, 'its recording takes too long to be drawn, and is set aside');
      }
      actor.seeUndrawn(cause !== null);
    },
    onLost: deps.isFlushed ? () => actor.gap.seeLoss() : null,
    onDamage: (damage) => actor.seeDamage(damage),
    onDeleted: (openPath) => saveDeleted(deps, actor, openPath),
  });
  const nudge = () => deps.search.nudge(actor.record.id);
  const nudges = coalesce({ clock: deps.clock, intervalMs: NUDGE_INTERVAL_MS, work: nudge });
  actor.recording.onBytes(() => nudges.request());
  return actor.recording;
}

/** Screen has begun another file already; what the deleted one held becomes an older recording. */
export async function saveDeleted({ log }: ActorDeps, { record, slug }: SessionActor, openPath: string): Promise<void> {
  const file = record.recording?.typescript;
  if (file === undefined) return;
  try {
    const number = await rotateRecording(dirname(file), slug, { '.typescript': openPath });
    log.warn({ slug, file, saved: `${slug}.${number}` }, 'its recording was deleted by something else; it is saved');
  } catch (cause) {
    log.error({ slug, file, err: cause }, 'its recording was deleted by something else, and could not be saved');
  }
}

/** The same, and from now on what it draws is evidence. A recording that somebody removed leaves the session without that evidence, not without all. */
export async function followRecording(...parameters: Parameters<typeof openRecording>): Promise<void> {
  const [deps, actor] = parameters;
  try {
    await openRecording(...parameters)?.follow();
  } catch (cause) {
    deps.log.warn({ slug: actor.slug, err: cause }, 'its recording cannot be read');
  }
}
