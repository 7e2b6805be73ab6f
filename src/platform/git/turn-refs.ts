import type { TurnKind } from '../../protocol/index.ts';
import { readGit } from './read-git.ts';
import { type GitPlace, runGit, tryGit } from './run-git.ts';
import { CBOS_IDENTITY } from './saved-work.ts';
import { quoted, unquoted } from './snapshot-files.ts';
import type { TurnGitDir } from './turn-git-dir.ts';
import type { TurnTree } from './turn-tree.ts';
import { lines } from './working-tree.ts';

/**
 * The refs that keep turns, as `SESSION/NUMBER` below this prefix. They are not branches, so `git gc` and `git push`
 * leave them alone.
 */
export const TURNS = 'refs/cbos/turns';

/** The state of the files at one moment. */
export interface Checkpoint extends TurnTree {
  commit: string;
}

/** A turn whose files have been saved. */
export interface KeptTurn {
  number: number;
  ref: string;
  /** the session's id, which does not change when the session is renamed, and the session's home */
  session: string;
  home: string;
  kind: TurnKind;
  prompt: string | null;
  /** when the turn began, in Unix milliseconds */
  beganAt: number;
  /** when the turn ended, or null while it is running */
  endedAt: number | null;
  /** how long after the start of the turn its first state was captured, in milliseconds, or 0 if it was on time */
  lateMs: number;
  begin: string;
  /** the commit with the files at the end of the turn, or null while the turn is running */
  end: string | null;
  files: number;
  added: number;
  removed: number;
  /** the path of the session's working tree */
  root: string;
}

export type TurnFacts = Omit<KeptTurn, 'number' | 'ref' | 'begin' | 'end'>;

/**
 * Stores a state as a commit. The fields of the state become lines in the commit message.
 * @param parent the state at the beginning of the turn, or the last commit if that state is the one to store
 */
export async function commitState(
  own: TurnGitDir,
  taken: TurnTree,
  { facts, parent }: { facts: TurnFacts; parent: string | null },
): Promise<string> {
  const at = facts.endedAt ?? facts.beganAt;
  const date = `@${Math.floor(at / 1_000)} +0000`;
  const words = ['commit-tree', ...(parent === null ? [] : ['-p', parent]), '-F', '-', taken.tree];
  const { stdout } = await readGit(words, {
    ...own.call,
    env: { ...own.call.env, ...CBOS_IDENTITY, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    input: Buffer.from(messageOf(facts, taken)),
  });
  return lines(stdout)[0] ?? '';
}

function messageOf(facts: TurnFacts, { leftOut, ownerOnly, repositories }: TurnTree): string {
  const text = (value: string): string => quoted(Buffer.from(value).toString('latin1'));
  const fields: readonly (readonly [string, string | null])[] = [
    ['Session', facts.session],
    ['Home', text(facts.home)],
    ['Root', text(facts.root)],
    ['Kind', facts.kind],
    ['Prompt', facts.prompt === null ? null : text(facts.prompt)],
    ['Began', String(facts.beganAt)],
    ['Ended', facts.endedAt === null ? null : String(facts.endedAt)],
    ['Late', facts.lateMs === 0 ? null : String(facts.lateMs)],
    ['Changed', `${facts.files} ${facts.added} ${facts.removed}`],
    ...leftOut.map((name) => ['Left-out', quoted(name)] as const),
    ...ownerOnly.map((name) => ['Owner-only', quoted(name)] as const),
    ...repositories.map((name) => ['Repository', quoted(name)] as const),
  ];
  const rows = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return [facts.kind === 'rewind' ? 'Files around a rewind' : 'Files of a turn', '', ...rows, ''].join('\n');
}

const fieldOf = (message: string, name: string): string | null =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1] ?? null;
const textIn = (message: string, name: string): string | null => {
  const value = fieldOf(message, name);
  return value === null ? null : Buffer.from(unquoted(value), 'latin1').toString('utf8');
};
const namesIn = (message: string, name: string): string[] =>
  [...message.matchAll(new RegExp(`^${name}: (.*)$`, 'gm'))].map(([, value = '']) => unquoted(value));

/** Returns the turns that are kept in a repository, ordered by number. @param place a folder in the repository */
export async function listTurns(place: GitPlace): Promise<KeptTurn[]> {
  const format = '%(refname) %(objectname) %(parent)%0a%(contents)%00';
  const listed = (await runGit(['for-each-ref', `--format=${format}`, TURNS], place)).toString('utf8');
  return listed
    .split('\0')
    .flatMap((block) => turnIn(block.trimStart()))
    .sort((one, other) => one.number - other.number);
}

function turnIn(block: string): KeptTurn[] {
  const end = block.indexOf('\n');
  const [ref = '', commit = '', parent = ''] = block.slice(0, end).split(' ');
  const message = block.slice(end + 1);
  const number = Number(/\/([1-9]\d{0,8})$/.exec(ref)?.[1]);
  const session = fieldOf(message, 'Session');
  if (end === -1 || !Number.isInteger(number) || session === null) return [];
  const endedAt = fieldOf(message, 'Ended');
  const [files = 0, added = 0, removed = 0] = (fieldOf(message, 'Changed') ?? '')
    .split(' ')
    .map((one) => Number(one) || 0);
  return [
    {
      number,
      ref,
      session,
      home: textIn(message, 'Home') ?? '',
      root: textIn(message, 'Root') ?? '',
      kind: fieldOf(message, 'Kind') === 'rewind' ? 'rewind' : 'turn',
      prompt: textIn(message, 'Prompt'),
      beganAt: Number(fieldOf(message, 'Began')) || 0,
      endedAt: endedAt === null ? null : Number(endedAt) || 0,
      lateMs: Number(fieldOf(message, 'Late')) || 0,
      begin: endedAt === null ? commit : parent,
      end: endedAt === null ? null : commit,
      files,
      added,
      removed,
    },
  ];
}

/** Reads a state that was stored. */
export async function readState(own: Pick<TurnGitDir, 'call'>, commit: string): Promise<Checkpoint> {
  const { stdout } = await readGit(['cat-file', 'commit', commit], own.call);
  const text = stdout.toString('utf8');
  const message = text.slice(text.indexOf('\n\n') + 2);
  return {
    commit,
    tree: /^tree ([0-9a-f]+)$/m.exec(text)?.[1] ?? '',
    leftOut: namesIn(message, 'Left-out'),
    ownerOnly: namesIn(message, 'Owner-only'),
    repositories: namesIn(message, 'Repository'),
  };
}

/** How many times to try the next number if someone else has just taken the current one. */
const TRIES = 20;

/** Stores a new state under the first free number, starting from `number`. */
export async function addTurn(
  place: GitPlace,
  { slug, number, commit }: { slug: string; number: number; commit: string },
): Promise<number> {
  for (let next = number; ; next += 1) {
    // An empty old value means that the ref must not exist yet.
    const words = ['update-ref', `${TURNS}/${slug}/${next}`, commit, ''];
    if (next >= number + TRIES) {
      await runGit(words, place);
      return next;
    }
    if ((await tryGit(words, place)).code === 0) return next;
  }
}

/** Sets the last state of a turn, unless something else has changed the turn in the meantime. */
export async function moveTurn(
  place: GitPlace,
  ref: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await runGit(['update-ref', ref, to, from], place);
}

/** Deletes turns, either all of them or none. */
export async function dropTurns(
  place: GitPlace,
  turns: readonly Pick<KeptTurn, 'ref' | 'begin' | 'end'>[],
): Promise<void> {
  if (turns.length === 0) return;
  const input = turns.map(({ ref, begin, end }) => `delete ${ref} ${end ?? begin}\n`).join('');
  await runGit(['update-ref', '--stdin'], { ...place, input });
}
