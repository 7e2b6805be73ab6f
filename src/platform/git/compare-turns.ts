import type { ChangedSide, Changes, ChangesBase, Patch } from '../../protocol/index.ts';
import { measureBinaries } from './binary-sizes.ts';
import { readChangedSide, type SideOptions } from './changed-side.ts';
import { MOST_FILES } from './compare.ts';
import { DIFF, RAW, RENAMES } from './compared-files.ts';
import { shortName } from './find-base.ts';
import { type DiffedFile, parseDiff, toChanged } from './parse-diff.ts';
import { readGit } from './read-git.ts';
import { type PatchNames, readPatch, totalOf } from './read-patch.ts';
import type { TurnGitDir } from './turn-git-dir.ts';
import type { KeptTurn } from './turn-refs.ts';

/** A turn, and the state that the beginning of the turn is compared with. */
interface Compared {
  turn: KeptTurn;
  to: string;
}

const baseOf = ({ number, begin }: KeptTurn): ChangesBase => ({ kind: 'turn', ref: String(number), commit: begin });

async function diffTrees(own: TurnGitDir, from: string, to: string): Promise<DiffedFile[]> {
  const { stdout } = await readGit([...DIFF, RENAMES, ...RAW, '--numstat', '-z', from, to, '--'], own.call);
  return parseDiff(stdout);
}

/** Counts the files and the lines that differ between two states. */
export async function countChanges(
  own: TurnGitDir,
  { from, to }: { from: string; to: string },
): Promise<Changes['total']> {
  return totalOf(await diffTrees(own, from, to));
}

/** Lists the files that differ between two states, as many as anyone would read. */
export async function listChanges(
  own: TurnGitDir,
  { from, to }: { from: string; to: string },
): Promise<Pick<Changes, 'files' | 'total' | 'left_out'>> {
  const files = (await diffTrees(own, from, to)).sort((one, other) => (one.path < other.path ? -1 : 1));
  const sizes = await measureBinaries(files, { call: own.call, root: null });
  return {
    files: files.slice(0, MOST_FILES).map((file) => ({ ...toChanged(file), parts: [], ...sizes.get(file.path) })),
    total: totalOf(files),
    left_out: { files: Math.max(0, files.length - MOST_FILES), untracked: 0 },
  };
}

export async function listTurnChanges(own: TurnGitDir, { turn, to }: Compared): Promise<Changes> {
  const { root, branch, head } = own.repository;
  return {
    root,
    branch: branch === null ? null : shortName(branch),
    head,
    base: baseOf(turn),
    ...(await listChanges(own, { from: turn.begin, to })),
  };
}

export async function readTurnPatch(own: TurnGitDir, { turn, to }: Compared, asked: PatchNames): Promise<Patch> {
  return { base: baseOf(turn), ...(await readPatch(own.call, [turn.begin, to], asked)) };
}

/** Reads one side of a file that a turn changed. */
export async function readTurnSide(own: TurnGitDir, { turn, to }: Compared, asked: SideOptions): Promise<ChangedSide> {
  const files = await diffTrees(own, turn.begin, to);
  return { base: baseOf(turn), ...(await readChangedSide(files, asked, { call: own.call, root: null })) };
}
