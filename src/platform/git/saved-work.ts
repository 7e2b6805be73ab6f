import { CatalogueError, type SavedWork } from '../../protocol/index.ts';
import { askGit, type GitPlace, runGit } from './run-git.ts';
import { quoted, unquoted } from './snapshot-files.ts';

/**
 * The refs that keep the complete content of finished worktrees. They are not branches, so `git gc` and `git push`
 * leave them alone.
 */
const SAVED = 'refs/cbos/saved';

/**
 * The author of saved states. These commits are made by CBOS rather than by the user, so git needs no configured name.
 */
export const CBOS_IDENTITY = {
  GIT_AUTHOR_NAME: 'CBOS',
  GIT_AUTHOR_EMAIL: 'cbos@localhost',
  GIT_COMMITTER_NAME: 'CBOS',
  GIT_COMMITTER_EMAIL: 'cbos@localhost',
};

/** One saved state, including the fields that only a restoration needs. */
export interface SavedState extends SavedWork {
  tree: string;
  parents: string[];
  /** the commit that contains the staged files, or null if these are the same as in the head */
  staged: string | null;
  /** the commit that contains the ignored files listed in `.worktreeinclude`, or null if there were none */
  included: string | null;
  /** the files that only their owner may read, as names with one character for each byte */
  ownerOnly: string[];
}

export type NewState = Omit<SavedState, 'id' | 'ref' | 'commit' | 'also' | 'at'> & { now: number };

/**
 * Stores a state as a commit with a ref of its own. If the same state has already been stored, that one is returned.
 */
export async function keepState(place: GitPlace, state: NewState): Promise<SavedState> {
  const same = (await listStates(place, state.repository)).find((one) => isSame(one, state));
  if (same !== undefined) return same;
  const { session, now, tree, parents } = state;
  const date = `@${Math.floor(now / 1_000)} +0000`;
  const variables = { ...CBOS_IDENTITY, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const words = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree];
  const commit = await askGit(words, { ...place, variables, input: messageOf(state) });
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const id = `${session}/${stamp}-${commit.slice(0, 8)}`;
  // An empty old value means that the ref must not exist yet.
  await runGit(['update-ref', `${SAVED}/${id}`, commit, ''], place);
  const ref = `${SAVED}/${id}`;
  const { head, staged, included } = state;
  const also = parents.filter((one) => ![head, staged, included].includes(one));
  return { ...state, id, ref, commit, also, at: new Date(now).toISOString() };
}

function isSame(one: SavedState, other: NewState): boolean {
  const keys = ['session', 'folder', 'tree', 'into'] as const;
  return keys.every((key) => one[key] === other[key]) && one.parents.join(' ') === other.parents.join(' ');
}

function messageOf(state: NewState): string {
  const fields: readonly (readonly [string, string | null])[] = [
    ['Session', state.session],
    ['Branch', state.branch],
    ['Folder', quoted(Buffer.from(state.folder).toString('latin1'))],
    ['Head', state.head],
    ['Staged', state.staged],
    ['Included', state.included],
    ['Into', state.into],
    ['Uncommitted', String(state.uncommitted)],
    ...state.ownerOnly.map((name) => ['Owner-only', quoted(name)] as const),
  ];
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [`Worktree of ${state.session}`, '', ...lines, ''].join('\n');
}

/** Returns the states that are saved in a repository, newest first. @param repository the main checkout */
export async function listStates(place: GitPlace, repository: string): Promise<SavedState[]> {
  const format = '%(refname) %(objectname) %(tree) %(committerdate:unix) %(parent)%0a%(contents)%00';
  const listed = await askGit(['for-each-ref', '--sort=-committerdate', `--format=${format}`, SAVED], place);
  return listed.split('\0').flatMap((block) => {
    const [first = '', subject = '', ...lines] = block.trimStart().split('\n');
    const [ref = '', commit = '', tree = '', seconds = '', ...parents] = first.split(' ').filter((one) => one !== '');
    if (!ref.startsWith(`${SAVED}/`) || !subject.startsWith('Worktree of ')) return [];
    const all = (name: string): string[] =>
      lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));
    const field = (name: string): string | null => all(name)[0] ?? null;
    const [head, staged, included] = [field('Head'), field('Staged'), field('Included')];
    return [
      {
        id: ref.slice(SAVED.length + 1),
        repository,
        ref,
        commit,
        session: field('Session') ?? '',
        branch: field('Branch') ?? '',
        folder: Buffer.from(unquoted(field('Folder') ?? '""'), 'latin1').toString('utf8'),
        head,
        into: field('Into'),
        uncommitted: Number(field('Uncommitted') ?? 0) || 0,
        also: parents.filter((one) => ![head, staged, included].includes(one)),
        at: new Date((Number(seconds) || 0) * 1_000).toISOString(),
        tree,
        parents,
        staged,
        included,
        ownerOnly: all('Owner-only').map(unquoted),
      },
    ];
  });
}

/** @throws CatalogueError no_such_save */
export async function findState(
  place: GitPlace,
  { repository, id }: { repository: string; id: string },
): Promise<SavedState> {
  const state = (await listStates(place, repository)).find((one) => one.id === id);
  if (state === undefined)
    throw new CatalogueError('no_such_save', `There is no saved worktree ${JSON.stringify(id)} here`);
  return state;
}

/** Returns a state without the fields that only a restoration needs. */
export function toSavedWork(state: SavedState): SavedWork {
  const { id, repository, ref, commit, session, branch, folder, head, into, uncommitted, also, at } = state;
  return { id, repository, ref, commit, session, branch, folder, head, into, uncommitted, also, at };
}
