import { dirname } from 'node:path';
import { rotateRecording } from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { createSessionRecording, type RecordingDamage, type SessionRecording } from '../screen/recording.ts';
import type { RecordingGap } from '../screen/recording-gap.ts';
import type { ActorDeps } from '../session/actor-deps.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import { coalesce } from '../stream/coalesce.ts';

/**
 * What came is indexed a second later; each word to the index's thread costs 10 µs, at a thousand writes a second too
 * much.
 */
const NUDGE_INTERVAL_MS = 500;

/** A session that may have a recording. */
export interface Recorded {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'id' | 'recording'>;
  recording: SessionRecording | null;
  readonly intake: Pick<EvidenceIntake, 'seeScreen'>;
  readonly gap: Pick<RecordingGap, 'seeLoss'>;
  seeUndrawn(isUndrawn: boolean): void;
  seeDamage(damage: RecordingDamage): void;
}

type RecordingDeps = Pick<ActorDeps, 'clock' | 'log' | 'emit' | 'search' | 'isFlushed'>;

/**
 * Ties a session to the recording that its record names, without reading it yet. A session that had one before keeps
 * the object, so its listeners hear of the reset.
 * @param size where the recording itself does not say
 */
export function openRecording(
  deps: RecordingDeps,
  session: Recorded,
  size: { cols: number; rows: number },
): SessionRecording | null {
  const files = session.record.recording;
  if (files === null) return null;
  const { cols, rows } = size;
  if (session.recording !== null) {
    session.recording.replace(files, { cols, rows });
    return session.recording;
  }
  session.recording = createSessionRecording({
    slug: () => session.slug,
    files,
    size: { cols, rows },
    clock: deps.clock,
    onFrame: (frame, at) => session.intake.seeScreen(frame, at),
    onResize: (newCols, newRows) => deps.emit({ kind: 'resized', slug: session.slug, cols: newCols, rows: newRows }),
    onFault: (cause) => deps.log.warn({ slug: session.slug, err: cause }, 'its recording could not be read'),
    onAside: (cause) => {
      if (cause !== null) {
        deps.log.error(
          { slug: session.slug, err: cause },
          'its recording takes too long to be drawn, and is set aside',
        );
      }
      session.seeUndrawn(cause !== null);
    },
    onLost: deps.isFlushed ? () => session.gap.seeLoss() : null,
    onDamage: (damage) => session.seeDamage(damage),
    onDeleted: (openPath) => saveDeleted(deps, session, openPath),
  });
  const nudge = () => deps.search.nudge(session.record.id);
  const nudges = coalesce({ clock: deps.clock, intervalMs: NUDGE_INTERVAL_MS, work: nudge });
  session.recording.onBytes(() => nudges.request());
  return session.recording;
}

/** Screen has begun another file already; what the deleted one held becomes an older recording. */
export async function saveDeleted(
  { log }: Pick<ActorDeps, 'log'>,
  { record, slug }: Pick<Recorded, 'record' | 'slug'>,
  openPath: string,
): Promise<void> {
  const file = record.recording?.typescript;
  if (file === undefined) return;
  try {
    const number = await rotateRecording(dirname(file), slug, { '.typescript': openPath });
    log.warn({ slug, file, saved: `${slug}.${number}` }, 'its recording was deleted by something else; it is saved');
  } catch (cause) {
    log.error({ slug, file, err: cause }, 'its recording was deleted by something else, and could not be saved');
  }
}

/**
 * The same, and from now on what it draws is evidence. A recording that somebody removed leaves the session without
 * that evidence, not without all.
 */
export async function followRecording(...parameters: Parameters<typeof openRecording>): Promise<void> {
  const [deps, session] = parameters;
  try {
    await openRecording(...parameters)?.follow();
  } catch (cause) {
    deps.log.warn({ slug: session.slug, err: cause }, 'its recording cannot be read');
  }
}
