import { createHash } from 'node:crypto';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { CatalogueError, type ReviewSide } from '../../protocol/index.ts';
import { openRegularFile, readRegularFile } from '../files/regular-file.ts';
import { findBase } from './find-base.ts';
import { gitEnvironment } from './git-environment.ts';
import { type GitCall, readGit } from './read-git.ts';
import { findWorkingTree, type WorkingTree } from './working-tree.ts';

/** How long git may take for one answer. */
const LONGEST_MS = 20_000;
/** The maximum size of a file, which is as much as a patch shows. No one comments on lines of a larger file. */
const MOST_TEXT_BYTES = 2 * 1024 * 1024;

/** The files of a working tree, as a review sees them. */
export interface ReviewFiles {
  /**
   * Returns the lines of a file, or null if the file does not exist or is not text.
   * @throws CatalogueError no_such_line if the file is too large
   */
  lines(file: string, side: ReviewSide): Promise<readonly string[] | null>;
  /**
   * Returns a digest that changes with the file's content, type, or mode, or null if the file does not exist or is a
   * folder.
   */
  digest(file: string): Promise<string | null>;
}

/**
 * Opens the working tree of a folder. Nothing in the repository is run, and no symbolic link out of it is followed.
 * @throws CatalogueError no_such_path, not_a_repository, git_not_found, git_failed
 */
export async function openReviewFiles(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReviewFiles> {
  const call = { env: gitEnvironment(environment, []), signal: AbortSignal.timeout(LONGEST_MS) };
  const tree = await findWorkingTree(folder, call);
  let base: Promise<string | null> | null = null;
  const baseCommit = (): Promise<string | null> => {
    base ??= findBase(tree, null, call).then(({ commit }) => commit);
    return base;
  };
  return {
    lines: async (file, side) => {
      if (side === 'base') {
        const commit = await baseCommit();
        return commit === null || !isPlainPath(file) ? null : readBlob(tree, { commit, file }, call);
      }
      const path = await pathIn(tree.root, file);
      if (path === null) return null;
      const text = await readRegularFile(path, { mostBytes: MOST_TEXT_BYTES, followsLinks: false }).catch(orNull);
      if (text !== null) return toLines(text);
      const stats = await lstat(path).catch(orNull);
      if (stats?.isFile() === true && stats.size > MOST_TEXT_BYTES) throw tooLarge(file);
      return null;
    },
    digest: async (file) => {
      const path = await pathIn(tree.root, file);
      if (path === null) return null;
      const digest = await digestOf(path);
      if (digest !== null || (await lstat(path).catch(orNull)) !== null) return digest;
      // This also covers deleted files, which can be reviewed too.
      const commit = await baseCommit();
      return commit !== null && (await hasBlob(tree, `${commit}:${file}`, call)) ? 'gone' : null;
    },
  };
}

async function readBlob(
  { root }: WorkingTree,
  { commit, file }: { commit: string; file: string },
  call: Pick<GitCall, 'env' | 'signal'>,
): Promise<readonly string[] | null> {
  const { code, stdout, isCut } = await readGit(['cat-file', 'blob', `${commit}:${file}`], {
    ...call,
    cwd: root,
    answers: [0, 128],
    mostBytes: MOST_TEXT_BYTES,
  });
  if (isCut) throw tooLarge(file);
  return code === 0 ? toLines(stdout.toString('utf8')) : null;
}

function tooLarge(file: string): CatalogueError {
  const [name, most] = [JSON.stringify(file.slice(0, 200)), MOST_TEXT_BYTES.toLocaleString('en')];
  return new CatalogueError('no_such_line', `${name} is too large to comment on: it has more than ${most} bytes`, {
    hint: 'Name the file and its lines in a prompt instead',
  });
}

async function hasBlob({ root }: WorkingTree, name: string, call: Pick<GitCall, 'env' | 'signal'>): Promise<boolean> {
  const { code } = await readGit(['cat-file', '-e', name], { ...call, cwd: root, answers: [0, 1, 128] });
  return code === 0;
}

/**
 * Splits text into lines in the same way as a patch. Returns null if the content contains a NUL, because it is then not
 * text.
 */
function toLines(text: string): readonly string[] | null {
  if (text.includes('\0')) return null;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(/\r$/, ''));
}

/** Reports whether a path stays below its folder and outside git's own directory. */
function isPlainPath(file: string): boolean {
  const parts = file.split('/');
  return (
    !file.includes('\0') && parts.every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git')
  );
}

/**
 * Returns the path of a file in a working tree, or null if a symbolic link on the path leads out of the working tree.
 */
async function pathIn(root: string, file: string): Promise<string | null> {
  if (!isPlainPath(file)) return null;
  const path = join(root, file);
  const [folder, top] = await Promise.all([realpath(dirname(path)).catch(orNull), realpath(root)]);
  return folder !== null && (folder === top || folder.startsWith(top + sep)) ? path : null;
}

async function digestOf(path: string): Promise<string | null> {
  const stats = await lstat(path).catch(orNull);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) return `link ${await readlink(path)}`;
  const file = stats.isFile() ? await openRegularFile(path, { followsLinks: false }) : null;
  if (file === null) return null;
  const hash = createHash('sha256');
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  } finally {
    await file.close();
  }
  return `${(stats.mode & 0o111) === 0 ? 'file' : 'program'} ${hash.digest('hex')}`;
}

/** A file may disappear at any moment, or may be unreadable. */
function orNull(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
  throw error;
}
