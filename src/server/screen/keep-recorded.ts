import { dirname } from 'node:path';
import { findDeletedLog, type ScreenHost } from '../../platform/gnu-screen/index.ts';
import {
  type DeletedFiles,
  moveAside,
  readScriptFiles,
  regainName,
  rotateRecording,
} from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ActorDeps } from '../session/actor-deps.ts';
import type { Mailbox } from '../session/mailbox.ts';
import type { RecordingGap } from '../session/recording-gap.ts';
import type { RecordingDamage, RecordingFiles } from '../session/session-recording.ts';
import type { SessionStatus } from '../session/session-status.ts';
import type { Dispose } from '../sessions.ts';
import { followRecording, type Recorded, saveDeleted } from './follow-recording.ts';
import { keepLogging, type Logged, readSize } from './keep-logging.ts';

/**
 * How long to wait before trying again to start a recording. Starting one can fail because Screen is suspended or the
 * disk is full.
 */
const RETRY_MS = 5_000;

/** A session that should be recorded. */
interface KeptSession extends Recorded, Logged {
  readonly record: SessionRecord;
  readonly deps: Pick<ActorDeps, 'clock' | 'log' | 'emit' | 'search' | 'isFlushed' | 'writes' | 'drops'>;
  readonly mailbox: Mailbox;
  readonly status: Pick<SessionStatus, 'loseScreen'>;
  readonly gap: RecordingGap;
  onDamage(listener: (damage: RecordingDamage) => void): Dispose;
  isDead(): boolean;
  update(change: Partial<SessionRecord>): void;
}

/**
 * Keeps a session recorded, even if cleanup programs, logrotate, or people move, truncate, or delete its recording
 * files.
 */
export interface RecordingKeeper {
  /**
   * Called when the server starts. Repairs what happened to the recording's files while no server was running, and then
   * follows them.
   */
  findAgain(): Promise<void>;
  dispose(): void;
}

/** @param redraw makes the session draw its whole screen into the recording */
export function createRecordingKeeper(
  screen: ScreenHost,
  session: KeptSession,
  redraw: () => Promise<void>,
): RecordingKeeper {
  const { deps } = session;
  let retry: Dispose | null = null;
  let isDisposed = false;

  function seeDamage(damage: RecordingDamage): void {
    const { slug } = session;
    if (damage.kind === 'misnamed') {
      void session.mailbox.post(mend);
      return;
    }
    if (damage.kind === 'cut') {
      deps.log.warn(
        { slug, bytes: damage.at },
        "another program truncated the session's recording, and the content is lost",
      );
      const drop = { recording: slug, reason: 'truncated', bytes: damage.at, whole: false } as const;
      deps.writes.write(() => deps.drops.add(drop, deps.clock.now()));
    }
    // Output that `script` continues to write still belongs to the same screen. A new Screen log, however, begins with
    // only a part of a screen.
    if (session.record.recording?.timing === null) session.status.loseScreen();
    void session.mailbox.post(redraw);
  }

  /** Runs in the session's mailbox, so that CBOS cannot be moving the files at the same time. */
  async function mend(): Promise<void> {
    retry?.();
    retry = null;
    if (isDisposed) return;
    const { recording, record } = session;
    try {
      const hasBegun = await keepRecorded(screen, session);
      // If Screen was already writing the log, the log's reader finds the new file by its name.
      if (hasBegun && record.recording?.timing !== null) {
        session.status.loseScreen();
        await followRecording(deps, session, recording?.size() ?? record.launch);
        await redraw();
      } else await recording?.follow();
      session.gap.seeKept();
    } catch (cause) {
      if (session.gap.stopped() === null)
        deps.log.error(
          { slug: session.slug, err: cause },
          'its recording was removed, and no new one could be started',
        );
      session.gap.seeRemoved();
      retry ??= deps.clock.after(RETRY_MS, () => void session.mailbox.post(mend));
    }
  }

  async function findAgain(): Promise<void> {
    const { daemon, recording } = session.record;
    if (daemon !== null && recording?.timing === null) {
      const deleted = await findDeletedLog(daemon.pid, recording.typescript);
      if (deleted !== null) await saveDeleted(deps, session, deleted);
    }
    await mend();
    const isLog = session.record.recording?.timing === null;
    await followRecording(deps, session, (isLog ? await readSize(screen, session) : null) ?? session.record.launch);
    // The recording has no header, because it is a Screen log or was truncated. In both cases, CBOS cannot know whether
    // the end of the recording draws a whole screen.
    if (session.recording?.start() === 0) void session.mailbox.post(redraw);
  }

  const stopListening = session.onDamage(seeDamage);
  return {
    findAgain,
    dispose: () => {
      isDisposed = true;
      stopListening();
      retry?.();
    },
  };
}

/**
 * Ensures that a session's output is recorded in the files that its record names. A file that was moved gets its old
 * name back in addition to the new one, because `script` continues to write to it. A deleted file cannot get its name
 * back. Its content is saved as an older recording, and Screen records instead of `script` until the next launch.
 * @returns true if a new recording has begun, which does not contain a whole screen yet
 * @throws CatalogueError screen_unresponsive, no_such_screen; an error of the file system
 */
async function keepRecorded(screen: ScreenHost, session: KeptSession): Promise<boolean> {
  const { recording, agent, adopted } = session.record;
  if (session.isDead() || !adopted || recording === null || agent === null) return false;
  if (recording.timing !== null) {
    const deleted = await findDeleted(agent.pid, { ...recording, timing: recording.timing });
    if (deleted === null) return false;
    const number = await rotateRecording(dirname(recording.typescript), session.slug, deleted);
    session.update({ recording: { ...recording, timing: null } });
    session.deps.log.warn(
      { slug: session.slug, file: recording.typescript, saved: `${session.slug}.${number}` },
      "another program deleted the session's recording; CBOS has saved the content, and Screen records from now on",
    );
  }
  return keepLogging(screen, session);
}

/** @returns the deleted files of a recording, with the paths where they can be read; null if none was deleted */
async function findDeleted(
  agentPid: number,
  recording: RecordingFiles & { timing: string },
): Promise<DeletedFiles | null> {
  const written = await readScriptFiles(agentPid);
  // CBOS lacks permission to inspect the files, so it knows nothing about them.
  if (written === null) return null;
  const deleted: DeletedFiles = {};
  const { typescript, timing } = recording;
  if (!(await regainName(written.typescript, typescript, () => moveAside(typescript))))
    deleted['.typescript'] = written.typescript.path;
  if (!(await regainName(written.timing, timing, () => moveAside(timing)))) deleted['.timing'] = written.timing.path;
  return Object.keys(deleted).length === 0 ? null : deleted;
}
