import { readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isSameHome, readLaunch, readLaunchMark } from '../../platform/claude/index.ts';
import {
  type ForeignSession,
  findClaudeIn,
  findRecordings,
  listScreens,
  readTerminalSize,
  type ScreenHost,
} from '../../platform/gnu-screen/index.ts';
import { readArgv } from '../../platform/process/index.ts';
import { readScriptFiles } from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { isSlug, type Settings } from '../../protocol/index.ts';
import type { Cards } from '../json/cards.ts';
import { recordingFiles } from '../screen/launch-session.ts';
import type { ActorDeps } from '../session/actor.ts';
import type { ListedSessions } from './listed-sessions.ts';
import { newRecord } from './new-record.ts';

export interface BringBackContext {
  deps: ActorDeps;
  listed: ListedSessions;
  settings: Settings;
  screen: ScreenHost;
  cards: Pick<Cards, 'read'>;
}

/**
 * Finds sessions of this home that are missing from its database, and lists them again. The database may have been lost
 * or restored from an older copy. Sessions launched by this home have its mark, recordings of adopted sessions are in
 * its directory, and JSON sessions have cards. Facts that neither processes nor files contain are lost: the history,
 * the deliveries, and the environment that was requested for a terminal session.
 */
export async function bringBack(context: BringBackContext): Promise<void> {
  const { deps, listed, screen } = context;
  const slugs = readCards(context);
  const unknown = (await listScreens(screen)).filter((one) => listed.byScreen(one) === null);
  for (const found of unknown.length === 0 ? [] : await findClaudeIn(unknown)) {
    try {
      const record = await readRecord(context, found);
      if (record === null) continue;
      listed.find(record).actor.isBroughtBack = true;
      slugs.push(record.slug);
    } catch (cause) {
      deps.log.error(
        { screen: found.screen.id, err: cause },
        'a session that the database lacked could not be added to the list again',
      );
    }
  }
  if (slugs.length > 0)
    deps.log.warn({ slugs }, 'the database lacked sessions of this home; CBOS has added them to the list again');
}

/**
 * Finishes deletions that the previous server did not complete. A session that is still alive stays listed, because no
 * client has been informed of its end.
 */
export function finishRemovals(listed: Pick<ListedSessions, 'all' | 'remove'>): void {
  for (const member of listed.all()) {
    const { actor } = member;
    if (actor.record.removedAt === null) continue;
    if (actor.isDead() || actor.record.agent === null) listed.remove(member);
    else actor.update({ removedAt: null });
  }
}

/** If the process is still running, its event file is read from the beginning. */
function readCards({ listed, cards }: BringBackContext): string[] {
  const ids = new Set(listed.all().map(({ actor }) => actor.record.id));
  return cards.read().flatMap((card) => {
    // The previous server did not complete the deletion of this session.
    if (ids.has(card.id) || card.removedAt !== null) return [];
    const { slug, path, createdAt, ...known } = card;
    const blank = newRecord({ slug: listed.freeSlug(slug), type: 'json' }, path ?? '/', createdAt);
    const { actor } = listed.find({ ...blank, ...known });
    actor.isBroughtBack = true;
    return [actor.slug];
  });
}

/** @returns the session's record; null if the session does not belong to this home */
async function readRecord(context: BringBackContext, found: ForeignSession): Promise<SessionRecord | null> {
  const { deps, listed, settings, screen } = context;
  const { claude } = found;
  // A wrapper may have cleared Claude Code's environment, but the daemon has the mark as well.
  const mark = readLaunchMark(claude.pid) ?? readLaunchMark(found.screen.pid);
  const launchedBy = mark?.home ?? null;
  const isLaunched = launchedBy !== null && isSameHome(launchedBy, settings.home);
  if (mark !== null && (!isLaunched || listed.byLaunch(mark.launchId) !== null)) return null;
  const log = (await findRecordings(found.screen.pid)).find((file) => dirname(file) === settings.stream_dir);
  if (!isLaunched && log === undefined) return null;

  const script = log === undefined ? await readScriptFiles(claude.pid) : null;
  const written = log ?? (script === null ? null : (await readlink(script.typescript.path)).replace(DELETED, ''));
  const name = written === null ? '' : basename(written, '.typescript');
  const slug = listed.freeSlug(isSlug(name) ? name : found.screen.name);
  const { sessionId, version, permissionMode, model } = readLaunch(await readArgv(claude.pid));
  const path = claude.cwd ?? '/';
  const blank = newRecord({ slug, type: 'screen' }, path, deps.clock.now());
  return {
    ...blank,
    launch: {
      ...blank.launch,
      ...(await readTerminalSize(screen, claude.pid)),
      permission_mode: permissionMode,
      model,
    },
    launchId: isLaunched ? (mark?.launchId ?? null) : null,
    screenId: found.screen.id,
    daemon: found.screen.daemon,
    window: isLaunched ? blank.window : claude.window,
    agent: { pid: claude.pid, startTime: claude.startTime },
    claudeSessionId: sessionId,
    claudeVersion: version,
    recording: log !== undefined ? { typescript: log, timing: null } : recordingOf(settings, slug, script !== null),
  };
}

/**
 * Somebody may have renamed the files that `script` is writing. `keep-recorded.ts` then gives them these names again.
 */
const recordingOf = ({ stream_dir }: Settings, slug: string, isRecorded: boolean): SessionRecord['recording'] =>
  isRecorded ? recordingFiles(stream_dir, slug) : null;

/** The suffix that the kernel appends to the path of an open file that has been deleted. */
const DELETED = / \(deleted\)$/;
