import { dirname } from 'node:path';
import { findDeletedLog, type ScreenHost } from '../../platform/gnu-screen/index.ts';
import {
  type DeletedFiles,
  moveAside,
  readScriptFiles,
  regainName,
  rotateRecording,
} from '../../platform/recorder/index.ts';
import type { RecordingDamage, RecordingFiles } from '../screen/recording.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';
import { keepLogging, readSize } from './adopt-session.ts';
import { followRecording, saveDeleted } from './follow-recording.ts';

/** A recording that could not be begun is tried again so often: its Screen may be stopped, or the disk full. */
const RETRY_MS = 5_000;

/** Keeps a session recorded, whatever somebody does to the files of its recording: programs that clean up, logrotate, people. */
export interface RecordingKeeper {
  /** at the start of a server: what was done to the files while none ran is mended, then they are followed */
  findAgain(): Promise<void>;
  dispose(): void;
}

/** @param redraw makes the session draw its whole screen into the recording */
export function createRecordingKeeper(
  screen: ScreenHost,
  actor: SessionActor,
  redraw: () => Promise<void>,
): RecordingKeeper {
  const { deps } = actor;
  let retry: Dispose | null = null;
  let isDisposed = false;

  function seeDamage(damage: RecordingDamage): void {
    const { slug } = actor;
    if (damage.kind === 'misnamed') {
      void actor.mailbox.post(mend);
      return;
    }
    if (damage.kind === 'cut') {
      deps.log.warn({ slug, bytes: damage.at }, 'its recording was cut off by something else: what it held is lost');
      const drop = { recording: slug, reason: 'truncated', bytes: damage.at, whole: false } as const;
      deps.writes.write(() => deps.drops.add(drop, deps.clock.now()));
    }
    // What `script` goes on writing is still the same picture; Screen's log begins with a part of one.
    if (actor.record.recording?.timing === null) actor.status.loseScreen();
    void actor.mailbox.post(redraw);
  }

  /** In the mailbox, so that no move of CBOS's own is under way. */
  async function mend(): Promise<void> {
    retry?.();
    retry = null;
    if (isDisposed) return;
    const { recording, record } = actor;
    try {
      const hasBegun = await keepRecorded(screen, actor);
      // Of a log of Screen's the new file is found by its name.
      if (hasBegun && record.recording?.timing !== null) {
        actor.status.loseScreen();
        await followRecording(deps, actor, recording?.size() ?? record.launch);
        await redraw();
      } else await recording?.follow();
      actor.gap.seeKept();
    } catch (cause) {
      if (actor.gap.stopped() === null)
        deps.log.error({ slug: actor.slug, err: cause }, 'its recording was removed, and no new one could be begun');
      actor.gap.seeRemoved();
      retry ??= deps.clock.after(RETRY_MS, () => void actor.mailbox.post(mend));
    }
  }

  async function findAgain(): Promise<void> {
    const { daemon, recording } = actor.record;
    if (daemon !== null && recording?.timing === null) {
      const deleted = await findDeletedLog(daemon.pid, recording.typescript);
      if (deleted !== null) await saveDeleted(deps, actor, deleted);
    }
    await mend();
    const isLog = actor.record.recording?.timing === null;
    await followRecording(deps, actor, (isLog ? await readSize(screen, actor) : null) ?? actor.record.launch);
    // It has no header: a log of Screen's, or one that was cut off. Nobody can tell whether its end draws a whole screen.
    if (actor.recording?.start() === 0) void actor.mailbox.post(redraw);
  }

  const stopListening = actor.onDamage(seeDamage);
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
 * Sees to it that what a session shows is recorded in the files that its record names. Files that were moved away get their name back beside
 * the other one, for `script` goes on writing them. Deleted ones cannot: what they hold is saved under the name of an older recording, and
 * Screen records in place of `script` until the next launch.
 * @returns whether a recording has begun; it does not draw a whole screen by itself
 * @throws CatalogueError screen_unresponsive, no_such_screen; an error of the file system
 */
async function keepRecorded(screen: ScreenHost, actor: SessionActor): Promise<boolean> {
  const { recording, agent, adopted } = actor.record;
  if (actor.isDead() || !adopted || recording === null || agent === null) return false;
  if (recording.timing !== null) {
    const deleted = await findDeleted(agent.pid, { ...recording, timing: recording.timing });
    if (deleted === null) return false;
    const number = await rotateRecording(dirname(recording.typescript), actor.slug, deleted);
    actor.update({ recording: { ...recording, timing: null } });
    actor.deps.log.warn(
      { slug: actor.slug, file: recording.typescript, saved: `${actor.slug}.${number}` },
      'its recording was deleted by something else: what it held is saved, and Screen records from now on',
    );
  }
  return keepLogging(screen, actor);
}

/** @returns those of a recording's files that were deleted, with the paths by which they can be read; null where none was */
async function findDeleted(
  agentPid: number,
  recording: RecordingFiles & { timing: string },
): Promise<DeletedFiles | null> {
  const written = await readScriptFiles(agentPid);
  // Where nobody may look at them, nothing is known of them.
  if (written === null) return null;
  const deleted: DeletedFiles = {};
  const { typescript, timing } = recording;
  if (!(await regainName(written.typescript, typescript, () => moveAside(typescript))))
    deleted['.typescript'] = written.typescript.path;
  if (!(await regainName(written.timing, timing, () => moveAside(timing)))) deleted['.timing'] = written.timing.path;
  return Object.keys(deleted).length === 0 ? null : deleted;
}
