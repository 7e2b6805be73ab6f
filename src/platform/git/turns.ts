/**
 * Keeps the files of each turn, in the repository in which the session works.
 *
 * - `turn-git-dir.ts`: the separate git directory
 * - `turn-tree.ts`: all files as a tree
 * - `turn-refs.ts`: commits, refs, and their contents
 * - `src/core/turns/outdated.ts`: which turns are deleted
 * - `compare-turns.ts`: the changes of a turn
 * - `checkpoint-files.ts`: the files of a checkpoint
 * - `rewind-files.ts`: restoring files
 */
import { CatalogueError, type ChangedSide, type Changes, type Patch } from '../../protocol/index.ts';
import type { SideOptions } from './changed-side.ts';
import { listCheckpoint, readCheckpointFile } from './checkpoint-files.ts';
import { countChanges, listChanges, listTurnChanges, readTurnPatch, readTurnSide } from './compare-turns.ts';
import { type Environment, gitEnvironment } from './git-environment.ts';
import type { GitContext } from './read-git.ts';
import type { PatchNames } from './read-patch.ts';
import { type RewoundFiles, rewindFiles } from './rewind-files.ts';
import type { GitPlace } from './run-git.ts';
import { openTurnGitDir, type TurnGitDir } from './turn-git-dir.ts';
import { addTurn, commitState, dropTurns, type KeptTurn, listTurns, moveTurn, readState } from './turn-refs.ts';
import { takeTree } from './turn-tree.ts';
import { findWorkingTree } from './working-tree.ts';

/** How long git may take to capture one state. Capturing the first state requires reading every file. */
const LONGEST_MS = 120_000;

export interface TurnBegin {
  /** the folder in which the session works */
  folder: string;
  /** the id of the session, which does not change when the session is renamed */
  session: string;
  slug: string;
  kind: KeptTurn['kind'];
  prompt: string | null;
  /** when the turn began or ended, in Unix milliseconds */
  at: number;
}

export interface TurnKeeperOptions {
  /** the environment of the server itself */
  environment: Environment;
  /** the home; the turns of sessions in other homes are ignored */
  home: string;
  /** a folder that no one else writes to */
  dir: string;
  now: () => number;
}

/**
 * Keeps and compares the files of turns, with one operation at a time for each working tree. The methods throw git's
 * errors and `git_not_found`.
 */
export interface TurnKeeper {
  /** Reads the files in advance, so that the first turn does not have to wait for that. */
  prepare(folder: string): Promise<void>;
  /**
   * Stores the files as they are before a turn.
   * @param isHeld reports whether nothing can have changed the files since the turn began
   */
  begin(turn: TurnBegin, isHeld: () => boolean): Promise<KeptTurn>;
  /**
   * Stores the files as a turn left them. Returns null if the turn changed nothing and no one asked for its state; the
   * state is then discarded.
   */
  end(turn: KeptTurn, facts: { at: number; prompt: string | null }): Promise<KeptTurn | null>;
  /** Returns all turns of this home's sessions that are kept in a folder's repository, ordered by number. */
  list(folder: string): Promise<KeptTurn[]>;
  drop(folder: string, turns: readonly KeptTurn[]): Promise<void>;
  /** Returns the changes of a turn, or the changes so far if it is still running. */
  changes(turn: KeptTurn): Promise<Changes>;
  patch(turn: KeptTurn, names: PatchNames): Promise<Patch>;
  /** Reads a file as it was before or after a turn that changed it. @throws CatalogueError no_such_file */
  side(turn: KeptTurn, asked: SideOptions): Promise<ChangedSide>;
  /** Returns the files that differ between two states. */
  changesBetween(folder: string, states: { from: string; to: string }): ReturnType<typeof listChanges>;
  /** Returns what one folder of a state contains. @throws CatalogueError no_such_file */
  files(folder: string, commit: string, asked: { folder: string; from: number }): ReturnType<typeof listCheckpoint>;
  /** Returns what a state has at a path. @throws CatalogueError no_such_file */
  file(folder: string, commit: string, path: string): ReturnType<typeof readCheckpointFile>;
  /** @throws CatalogueError disk_full, in which case nothing has been changed */
  rewind(begin: TurnBegin, commit: string): Promise<{ saved: KeptTurn; files: RewoundFiles }>;
  /**
   * Finishes the work in progress, also for sessions that have been removed and for clients that have disconnected, and
   * refuses all other work.
   */
  close(): Promise<void>;
}

export function createTurnKeeper({ environment, home, dir, now }: TurnKeeperOptions): TurnKeeper {
  const env = gitEnvironment(environment, []);
  const callIn = (cwd: string): GitContext => ({ cwd, env, signal: AbortSignal.timeout(LONGEST_MS) });
  const { inTurn, close } = createTurnQueue(environment, dir, callIn);

  async function beginNow(
    own: TurnGitDir,
    place: GitPlace,
    { turn, isHeld }: { turn: TurnBegin; isHeld: () => boolean },
  ): Promise<KeptTurn> {
    const taken = await takeTree(own);
    const facts = {
      ...{ session: turn.session, home, root: own.repository.root, kind: turn.kind, prompt: turn.prompt },
      ...{ beganAt: turn.at, endedAt: null },
      lateMs: isHeld() ? 0 : Math.max(0, now() - turn.at),
      ...NOTHING,
    };
    const commit = await commitState(own, taken, { facts, parent: own.repository.head });
    const all = await listTurns(place);
    const isOwn = ({ session, ref }: KeptTurn): boolean =>
      session === turn.session || ref.startsWith(`refs/cbos/turns/${turn.slug}/`);
    const last = all.filter(isOwn).at(-1)?.number ?? 0;
    const number = await addTurn(place, { slug: turn.slug, number: last + 1, commit });
    return { ...facts, number, ref: `refs/cbos/turns/${turn.slug}/${number}`, begin: commit, end: null };
  }

  async function endNow(
    own: TurnGitDir,
    place: GitPlace,
    { turn, at, prompt }: { turn: KeptTurn; at: number; prompt: string | null },
  ): Promise<KeptTurn | null> {
    const taken = await takeTree(own);
    const begin = await readState(own, turn.begin);
    const isSame = taken.tree === begin.tree;
    const words = turn.prompt ?? prompt;
    if (isSame && words === null && turn.kind === 'turn') {
      await dropTurns(place, [turn]);
      return null;
    }
    const counts = isSame ? NOTHING : await countChanges(own, { from: begin.tree, to: taken.tree });
    const facts = { ...turn, prompt: words, endedAt: at, ...counts };
    const end = await commitState(own, taken, { facts, parent: turn.begin });
    await moveTurn(place, turn.ref, { from: turn.begin, to: end });
    return { ...facts, end };
  }

  return {
    prepare: (folder) => inTurn(folder, async (own) => void (await takeTree(own))),
    begin: (turn, isHeld) => inTurn(turn.folder, (own, place) => beginNow(own, place, { turn, isHeld })),
    end: (turn, facts) => inTurn(turn.root, (own, place) => endNow(own, place, { turn, ...facts })),
    list: async (folder) => {
      const { root } = await findWorkingTree(folder, callIn(folder));
      return (await listTurns({ cwd: root, environment })).filter((turn) => turn.home === home);
    },
    drop: (folder, turns) => dropTurns({ cwd: folder, environment }, turns),
    changes: (turn) => inTurn(turn.root, async (own) => listTurnChanges(own, { turn, to: await lastTree(own, turn) })),
    patch: (turn, names) =>
      inTurn(turn.root, async (own) => readTurnPatch(own, { turn, to: await lastTree(own, turn) }, names)),
    side: (turn, asked) =>
      inTurn(turn.root, async (own) => readTurnSide(own, { turn, to: await lastTree(own, turn) }, asked)),
    changesBetween: (folder, states) => inTurn(folder, (own) => listChanges(own, states)),
    files: (folder, commit, asked) => listCheckpoint(callIn(folder), commit, asked),
    file: (folder, commit, path) => readCheckpointFile(callIn(folder), commit, path),
    rewind: (begin, commit) =>
      inTurn(begin.folder, async (own, place) => {
        const wanted = await readState(own, commit);
        const since = Date.now();
        const turn = await beginNow(own, place, { turn: begin, isHeld: () => true });
        const present = await readState(own, turn.begin);
        const files = await rewindFiles(own, { present, wanted, since });
        // At this point, the files have been restored, and the state that undoes the rewind has been stored.
        const saved = await endNow(own, place, { turn, at: now(), prompt: begin.prompt }).catch(() => null);
        return { saved: saved ?? turn, files };
      }),
    close,
  };
}

/** Does one operation at a time for each working tree. */
function createTurnQueue(environment: Environment, dir: string, callIn: (folder: string) => GitContext) {
  const queues = new Map<string, Promise<unknown>>();
  let isClosed = false;
  return {
    inTurn: async <T>(folder: string, work: (own: TurnGitDir, place: GitPlace) => Promise<T>): Promise<T> => {
      const { root } = await findWorkingTree(folder, callIn(folder));
      if (isClosed) throw new CatalogueError('git_failed', 'The server is ending');
      const before = queues.get(root) ?? Promise.resolve();
      const done = before
        .catch(() => undefined)
        .then(async () => {
          const call = callIn(root);
          // The session may have switched to another branch by now.
          const repository = await findWorkingTree(root, call);
          const own = await openTurnGitDir({ repository, parent: dir, call, userHome: call.env.HOME ?? '/' });
          return work(own, { cwd: root, environment });
        });
      queues.set(root, done);
      try {
        return await done;
      } finally {
        if (queues.get(root) === done) queues.delete(root);
      }
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await Promise.allSettled(queues.values());
    },
  };
}

const lastTree = async (own: TurnGitDir, turn: KeptTurn): Promise<string> => turn.end ?? (await takeTree(own)).tree;

const NOTHING = { files: 0, added: 0, removed: 0 };
