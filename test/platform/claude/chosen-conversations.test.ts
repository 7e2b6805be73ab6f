import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findNamedConversations, findNewestConversation } from '../../../src/platform/claude/index.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

/** How much of each end of a transcript Claude Code reads. */
const END_BYTES = 65_536;

let configDir: string;
let written = 0;
beforeEach(() => {
  configDir = makeTemporaryFolder();
});
afterEach(() => rmSync(configDir, { recursive: true }));

interface Told {
  /** rows after the first prompt */
  rows?: readonly object[];
  /** further keys of the first prompt */
  more?: object;
  /** the folder that the transcript names */
  cwd?: string;
}

/** Stores a conversation in a folder's directory. @returns its id */
function store(folder: string, { rows = [], more = {}, cwd = folder }: Told = {}): string {
  written += 1;
  const id = `00000000-0000-4000-8000-${String(written).padStart(12, '0')}`;
  const message = { role: 'user', content: 'hello' };
  const prompt = { parentUuid: null, isSidechain: false, type: 'user', message, entrypoint: 'cli', cwd, ...more };
  const file = join(configDir, 'projects', folder.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, [prompt, ...rows].map((row) => `${JSON.stringify(row)}\n`).join(''));
  utimesSync(file, written, written);
  return id;
}

const named = (customTitle: string): object => ({ type: 'custom-title', customTitle });
const titled = (aiTitle: string): object => ({ type: 'ai-title', aiTitle });
const find = (name: string, cwd = '/a/main', worktrees: readonly string[] = []) =>
  findNamedConversations({ configDir, cwd, worktrees, name });

describe('the conversations that a name chooses', () => {
  test('have it as their last name or, without a name, as their title, in any case', async () => {
    const renamed = store('/a/main', { rows: [named('First'), titled('A title'), named('Second')] });
    const untold = store('/a/main', { rows: [titled('A title')] });
    expect(await find(' sEcond ')).toEqual([renamed]);
    expect(await find('a title')).toEqual([untold]);
    for (const none of ['first', 'secon', '', ' ']) expect([none, await find(none)]).toEqual([none, []]);
  });

  test('have it at one of the ends of the transcript, or in the file beside it', async () => {
    const filler = { type: 'assistant', text: 'x'.repeat(2 * END_BYTES) };
    const early = store('/a/main', { rows: [named('early'), filler] });
    const late = store('/a/main', { rows: [named('early'), filler, named('late')] });
    const cleared = store('/a/main', { rows: [named('early'), filler, named('')] });
    const between = store('/a/main', { rows: [named('early'), filler, named('between'), filler] });
    const beside = join(configDir, 'projects', '-a-main', between);
    mkdirSync(beside);
    writeFileSync(join(beside, 'custom-title.json'), JSON.stringify({ customTitle: 'between' }));
    expect(await find('early')).toEqual([early]);
    expect(await find('late')).toEqual([late]);
    expect(await find('between')).toEqual([between]);
    expect(await find('early')).not.toContain(cleared);
  });

  test('are in the folder or in a worktree of its repository', async () => {
    const rows = [named('n')];
    const here = store('/a/main', { rows });
    const made = store('/a/main/.claude/worktrees/w', { rows });
    const inside = store('/a/main/sub', { rows });
    const aside = store('/a/aside', { rows });
    store('/b', { rows });
    expect(await find('n')).toEqual([here, made]);
    const worktrees = ['/a/main', '/a/aside'];
    expect((await find('n', '/a/aside', worktrees)).toSorted()).toEqual([here, made, inside, aside]);
    expect((await find('n', '/a/main/sub', worktrees)).toSorted()).toEqual([here, made, inside, aside]);
  });

  test('are not those of another folder whose directory has the same name', async () => {
    store('/a/main', { rows: [named('n')], cwd: '/a-main' });
    const moved = store('/a/main', {
      rows: [named('n'), { type: 'relocated', relocatedCwd: '/a/main' }],
      cwd: '/a-main',
    });
    expect(await find('n')).toEqual([moved]);
  });

  test.each([
    ['of a JSON session', { entrypoint: 'sdk-cli' }],
    ['of a subagent', { isSidechain: true }],
    ['of a team', { teamName: 'us' }],
    ['of /loop', { message: { content: '<command-name>/loop</command-name>' } }],
  ])('are not those %s', async (_, more) => {
    const open = store('/a/main', { rows: [named('n')] });
    store('/a/main', { rows: [named('n')], more });
    expect(await find('n')).toEqual([open]);
    expect(await findNewestConversation({ configDir, cwd: '/a/main' })).toBe(open);
  });
});

test('the newest conversation of a folder is the one that changed last and has a prompt', async () => {
  expect(await findNewestConversation({ configDir, cwd: '/a/main' })).toBeNull();
  store('/a/main');
  const newest = store('/a/main');
  store('/b');
  store('/a/main', { cwd: '/a-main' });
  const empty = join(configDir, 'projects', '-a-main', '00000000-0000-4000-8000-00000000ffff.jsonl');
  writeFileSync(empty, `${JSON.stringify(named('n'))}\n`);
  expect(await findNewestConversation({ configDir, cwd: '/a/main' })).toBe(newest);
});
