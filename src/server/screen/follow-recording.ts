import { dirname } from 'node:path';
import { rotateRecording } from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ActorDeps } from '../session/actor-deps.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import type { RecordingGap } from '../session/recording-gap.ts';
import type { RecordingDamage, SessionRecording } from '../session/session-recording.ts';
import { coalesce } from '../stream/coalesce.ts';
import { createSessionRecording } from './recording.ts';

/**
 * The shortest time between two notifications to the search index's thread, which is why new output becomes searchable
 * up to a second later. A notification takes 10 µs, which would be too much at a thousand writes a second.
 */
const NUDGE_INTERVAL_MS = 500;

/** The part of a session that is needed to follow its recording, if it has one. */
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
 * Connects a session to the recording named in the session's record, without reading the recording yet. A session that
 * already had a recording keeps the same object, so listeners are notified of the reset.
 * @param size the terminal's size, used if the recording itself does not contain one
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
          "drawing the session's recording takes too long, so CBOS has set the recording aside",
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
  session.recording.onBytes(() => nudges.request(), { mayWait: true });
  return session.recording;
}

/**
 * Saves a deleted log. Screen has already begun another file, so the deleted file's content is kept as an older
 * recording.
 */
export async function saveDeleted(
  { log }: Pick<ActorDeps, 'log'>,
  { record, slug }: Pick<Recorded, 'record' | 'slug'>,
  openPath: string,
): Promise<void> {
  const file = record.recording?.typescript;
  if (file === undefined) return;
  try {
    const number = await rotateRecording(dirname(file), slug, { '.typescript': openPath });
    log.warn(
      { slug, file, saved: `${slug}.${number}` },
      "another program deleted the session's recording; CBOS has saved the content",
    );
  } catch (cause) {
    log.error(
      { slug, file, err: cause },
      "another program deleted the session's recording, and CBOS could not save the content",
    );
  }
}

/**
 * Opens the recording as `openRecording` does, and then uses its output as evidence for the status. If somebody has
 * removed the recording, only this evidence is missing.
 */
export async function followRecording(...parameters: Parameters<typeof openRecording>): Promise<void> {
  const [deps, session] = parameters;
  try {
    await openRecording(...parameters)?.follow();
  } catch (cause) {
    deps.log.warn({ slug: session.slug, err: cause }, 'its recording cannot be read');
  }
}
