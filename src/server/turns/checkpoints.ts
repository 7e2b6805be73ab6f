/**
 * Lists turns, compares their files, and rewinds to them. `follow-turns.ts` saves the files when a turn begins or ends,
 * and `src/platform/git/turns.ts` does the work in git. `src/core/turns/outdated.ts` decides which turns are forgotten.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { outdatedTurns } from '../../core/turns/outdated.ts';
import type { SideOptions } from '../../platform/git/changed-side.ts';
import type { KeptTurn } from '../../platform/git/turn-refs.ts';
import { createTurnKeeper } from '../../platform/git/turns.ts';
import {
  CatalogueError,
  type ChangedSide,
  type Changes,
  type CheckpointChanges,
  type CheckpointFacts,
  type CheckpointFile,
  type CheckpointFiles,
  inConfigFile,
  isInside,
  type Patch,
  placeOf,
  type Rewind,
  type Rewound,
  type Session,
  type Settings,
  type Turn,
  type TurnState,
  type Turns,
} from '../../protocol/index.ts';
import { requireFolder } from '../changes/session-changes.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Sessions } from '../sessions.ts';
import { type FollowedTurns, followTurns } from './follow-turns.ts';

const TURN_ON = `Set ${inConfigFile('turn_checkpoints', true)}, then restart the server: \`cbos down && cbos up\``;

/** Identifies a turn, either by its number or as the last one. */
export type WhichTurn = number | 'last';

/** Identifies a checkpoint. Without a state, the later one that is saved is meant. */
export interface WhichState {
  turn: WhichTurn;
  state: TurnState | null;
}

export interface Checkpoints {
  /**
   * @throws CatalogueError no_such_path, not_a_repository, git_not_found, git_failed; the other methods throw these too
   */
  list(session: Session): Promise<Turns>;
  /** @throws CatalogueError no_such_turn */
  changes(session: Session, turn: WhichTurn): Promise<Changes>;
  /** @throws CatalogueError no_such_turn */
  patch(session: Session, turn: WhichTurn, names: { file: string | null; oldFile: string | null }): Promise<Patch>;
  /** @throws CatalogueError no_such_turn, no_such_file */
  side(session: Session, turn: WhichTurn, asked: SideOptions): Promise<ChangedSide>;
  /** @throws CatalogueError no_such_turn, no_such_file */
  files(session: Session, which: WhichState, asked: { folder: string; from: number }): Promise<CheckpointFiles>;
  /** @throws CatalogueError no_such_turn, no_such_file */
  file(session: Session, which: WhichState, path: string): Promise<CheckpointFile>;
  /** Returns what changed since the checkpoint before. @throws CatalogueError no_such_turn */
  changesBefore(session: Session, which: WhichState): Promise<CheckpointChanges>;
  /**
   * Saves the current state of the files, and then restores an earlier one.
   * @throws CatalogueError no_such_turn, already_running, disk_full
   */
  rewind(session: Session, request: Rewind): Promise<Rewound>;
  /** Resolves when no work is in progress any more. */
  dispose(): Promise<void>;
}

export interface CheckpointsOptions {
  sessions: Pick<Sessions, 'list' | 'onEvent' | 'turn' | 'holdTurn' | 'whileQuiet'>;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  settings: Pick<Settings, 'home' | 'turn_checkpoints' | 'turns_kept'>;
  clock: Clock;
  log: Logger;
}

export function createCheckpoints({ sessions, environment, settings, clock, log }: CheckpointsOptions): Checkpoints {
  const { home } = settings;
  const keeper = createTurnKeeper({ environment, home, dir: join(home, 'turns'), now: () => clock.now() });

  async function forgetOutdated(folder: string): Promise<void> {
    const turns = await keeper.list(folder);
    const listed = new Set(sessions.list().map(({ slug }) => sessions.turn(slug).id));
    const outdated = outdatedTurns(turns, {
      now: clock.now(),
      kept: settings.turns_kept,
      isListed: (id) => listed.has(id),
      hasFiles: (id) => turns.some((turn) => turn.session === id && existsSync(turn.root)),
    });
    if (outdated.length === 0) return;
    await keeper.drop(folder, outdated);
    log.info({ refs: outdated.map(({ ref }) => ref) }, 'turns beyond the limits were deleted');
  }

  const follower: FollowedTurns | null = settings.turn_checkpoints
    ? followTurns({ sessions, keeper, clock, log, onKept: forgetOutdated })
    : null;

  async function turnsOf(session: Session): Promise<{ id: string; folder: string; turns: KeptTurn[] }> {
    const folder = await requireFolder(environment, session);
    const { id } = sessions.turn(session.slug);
    await follower?.settled(id);
    return { id, folder, turns: (await keeper.list(folder)).filter((turn) => turn.session === id) };
  }

  async function find(session: Session, which: WhichTurn): Promise<FoundTurn> {
    const { folder, turns } = await turnsOf(session);
    const at = which === 'last' ? turns.length - 1 : turns.findIndex(({ number }) => number === which);
    const turn = turns[at];
    if (turn !== undefined) return { folder, turn, before: turns[at - 1] ?? null, next: turns[at + 1] ?? null };
    const last = turns.at(-1)?.number;
    const message = which === 'last' || last === undefined ? 'No turn' : `No turn ${which}`;
    throw new CatalogueError('no_such_turn', `${message} of ${session.slug} is saved`, {
      ...(settings.turn_checkpoints ? {} : { hint: TURN_ON }),
    });
  }

  async function checkpoint(session: Session, which: WhichState): Promise<FoundTurn & { facts: CheckpointFacts }> {
    const found = await find(session, which.turn);
    return { ...found, facts: factsOf(found, which.state, session.slug) };
  }

  async function changesBefore(session: Session, which: WhichState): Promise<CheckpointChanges> {
    const { folder, facts, turn, before } = await checkpoint(session, which);
    const since = facts.state === 'end' ? stateBefore(turn) : before?.root === turn.root ? lastState(before) : null;
    if (since === null) return { ...facts, since, files: [], total: { files: 0, added: 0, removed: 0 } };
    const { commit: from, ...known } = since;
    const { files, total } = await keeper.changesBetween(folder, { from, to: facts.commit });
    return { ...facts, since: known, files, total };
  }

  return {
    list: async (session) => {
      const { id, turns } = await turnsOf(session);
      return { turns: turns.map(toTurn), fault: follower?.faultOf(id) ?? null };
    },
    changes: async (session, which) => keeper.changes(closed(await find(session, which))),
    patch: async (session, which, names) => keeper.patch(closed(await find(session, which)), names),
    side: async (session, which, asked) => keeper.side(closed(await find(session, which)), asked),
    files: async (session, which, asked) => {
      const { folder, facts } = await checkpoint(session, which);
      return { ...facts, ...(await keeper.files(folder, facts.commit, asked)) };
    },
    file: async (session, which, path) => {
      const { folder, facts } = await checkpoint(session, which);
      return { ...facts, ...(await keeper.file(folder, facts.commit, path)) };
    },
    changesBefore,
    rewind: (session, { turn: number, to }) =>
      sessions.whileQuiet(session.slug, async () => {
        const turn = closed(await find(session, number));
        // The session may have moved since, and its other folder must not get these files.
        const folder = turn.root;
        requireNoTurnIn(folder, sessions.list(), session);
        const commit = commitOf(turn, to, session.slug);
        const { id } = sessions.turn(session.slug);
        const prompt = to === 'begin' ? `rewind to before turn ${number}` : `rewind to turn ${number}`;
        const begin = { folder, session: id, slug: session.slug, kind: 'rewind' as const, prompt, at: clock.now() };
        const { saved, files } = await keeper.rewind(begin, commit);
        log.info({ slug: session.slug, turn: number, to, ref: saved.ref }, "a session's files were restored");
        return { saved: toTurn(saved), written: files.written, deleted: files.deleted, left: files.left };
      }),
    dispose: async () => {
      await follower?.dispose();
      await keeper.close();
    },
  };
}

/** A turn of a session, with the turns that are kept before and after it. */
interface FoundTurn {
  /** the folder in which the session works now */
  folder: string;
  turn: KeptTurn;
  before: KeptTurn | null;
  next: KeptTurn | null;
}

/**
 * Refuses a rewind while another session is running a turn in the same folder, because a rewind would change that
 * session's files in the middle of its turn.
 */
function requireNoTurnIn(root: string, sessions: readonly Session[], session: Session): void {
  const other = sessions.find(
    (other) =>
      other.slug !== session.slug &&
      isInside(placeOf(other), root) &&
      (other.status.primary === 'active' || other.status.primary === 'stuck'),
  );
  if (other === undefined) return;
  throw new CatalogueError('already_running', `${other.slug} is working in the same folder`, {
    hint: `\`cbos wait ${other.slug}\` waits until it ends`,
  });
}

/** If no server saw the turn end, it ended at the latest when the next turn began. */
const closed = ({ turn, next }: Pick<FoundTurn, 'turn' | 'next'>): KeptTurn =>
  turn.end === null && next !== null ? { ...turn, end: next.begin } : turn;

/** @throws CatalogueError no_such_turn */
function factsOf(found: FoundTurn, wanted: TurnState | null, slug: string): CheckpointFacts {
  const turn = closed(found);
  const state = wanted ?? (turn.end === null ? 'begin' : 'end');
  const commit = commitOf(turn, state, slug);
  const at = state === 'begin' ? turn.beganAt + turn.lateMs : (turn.endedAt ?? found.next?.beganAt ?? turn.beganAt);
  return { turn: turn.number, state, at: new Date(at).toISOString(), commit, root: turn.root };
}

const stateBefore = ({ number, begin }: KeptTurn) => ({ turn: number, state: 'begin' as const, commit: begin });

/** Returns the state after a turn, or the one before it if nobody saw its end. */
const lastState = (turn: KeptTurn) =>
  turn.end === null ? stateBefore(turn) : { turn: turn.number, state: 'end' as const, commit: turn.end };

/** Returns the commit with one state of a turn. @throws CatalogueError no_such_turn */
function commitOf(turn: KeptTurn, state: TurnState, slug: string): string {
  const commit = turn[state];
  if (commit !== null) return commit;
  throw new CatalogueError('no_such_turn', `CBOS did not see the end of turn ${turn.number}`, {
    hint: `\`cbos rewind ${slug} --before ${turn.number}\` restores the files as they were before it`,
  });
}

function toTurn(turn: KeptTurn): Turn {
  const { number, kind, ref, prompt, beganAt, endedAt, lateMs, files, added, removed } = turn;
  return {
    ...{ number, kind, ref, prompt, began_at: new Date(beganAt).toISOString() },
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    ...{ late_ms: lateMs, files, added, removed },
  };
}
