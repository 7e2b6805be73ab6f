import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Option, type Table, tabled, tableFor } from '../../src/core/approval/options/index.ts';

/** One spelling of one option of an installed program, with what the program is given besides. */
export interface Evasion {
  /** the program, with its subcommand */
  program: string;
  /** the option in full */
  option: string;
  words: readonly string[];
  /** what the program's table says about the option; null if the option is not in the table */
  effect: Option['effect'] | null;
}

/** Programs that are not run: they reach the network, take seconds to start, or have no end. */
const NOT_RUN: ReadonlySet<string> = new Set([
  ...['curl', 'rsync', 'npm', 'pnpm', 'cargo', 'go', 'pytest', 'tsc', 'eslint', 'prettier', 'rg', 'fd', 'fdfind'],
  ...['sleep', 'free'],
]);
/** What a program needs so that its options come into effect. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  ...{ grep: ['a', 'in.txt'], egrep: ['a', 'in.txt'], fgrep: ['a', 'in.txt'], tr: ['a', 'b'], seq: ['3'], pwd: [] },
  ...{
    diff: ['in.txt', 'in2.txt'],
    cmp: ['in.txt', 'in2.txt'],
    comm: ['in.txt', 'in2.txt'],
    join: ['in.txt', 'in2.txt'],
  },
  ...{ jq: ['.', 'in.json'], date: [], nproc: [], uname: [], whoami: [], id: [], pgrep: ['no-such-program'], ps: [] },
  ...{ mkdir: ['new'], cp: ['in.txt', 'new'], mv: ['in.txt', 'new'], ln: ['in.txt', 'new'], chmod: ['755', 'in.txt'] },
  ...{
    chown: ['0', 'in.txt'],
    tar: ['-f', 'in.tar', '-t'],
    make: ['none'],
    'git grep': ['a'],
    find: ['.'],
    printenv: [],
  },
  ...{
    'git show': ['HEAD'],
    'git blame': ['in.txt'],
    'git cat-file': ['HEAD'],
    'git log': ['-1'],
    'git rev-list': ['HEAD'],
  },
  ...{
    'git commit': ['--dry-run'],
    'git push': ['--dry-run', 'nowhere'],
    'git fetch': ['nowhere'],
    'git pull': ['nowhere'],
  },
  ...{
    'git rev-parse': ['HEAD'],
    'git merge-base': ['HEAD', 'HEAD'],
    'git name-rev': ['HEAD'],
    'git ls-tree': ['HEAD'],
  },
};
/** The value that each option gets: a program in the folder, which leaves a mark if anything runs it. */
const VALUE = './mark';
const MOST_MS = 5_000;

/** Returns every spelling of every option of the programs that are installed here and have a table. */
export async function evasionsHere(): Promise<Evasion[]> {
  const names = tabled().filter((name) => name !== 'git' && !NOT_RUN.has(name.replace(/ .*$/, '')));
  const found: Evasion[] = [];
  for (const name of names) {
    const table = tableFor(name);
    if (table === null || !(await isInstalled(name))) continue;
    const listed = await optionsListed(name);
    const options = new Set([...table.options.keys(), ...listed.filter((option) => isOneOption(option, table))]);
    for (const option of options) {
      const effect = table.options.get(option)?.effect ?? null;
      for (const words of spellings(option, table, options)) found.push({ program: name, option, words, effect });
    }
  }
  return found;
}

/** A page of help also shows clusters such as `-la`, and negations. A program without options of its own has none. */
const isOneOption = (option: string, { syntax, options }: Table): boolean =>
  syntax !== 'text' &&
  (option.startsWith('--') || option.length === 2 || syntax === 'find' || syntax === 'words') &&
  !(option.startsWith('--no-') && options.has(option.replace('--no-', '--')));

/** Returns the ways to write an option: attached and separate values, clusters, abbreviations. */
function spellings(option: string, table: Table, all: ReadonlySet<string>): string[][] {
  if (option.includes('#')) return [['-3']];
  const ways = [[option], [option, VALUE], [`${option}=${VALUE}`]];
  if (/^-[^-]$/.test(option)) {
    const harmless = [...table.options].find(
      ([name, { effect, takes }]) => /^-[a-z]$/.test(name) && effect === 'none' && takes === 0,
    );
    ways.push([`${option}${VALUE}`]);
    if (harmless !== undefined)
      ways.push([`${harmless[0]}${option.slice(1)}`, VALUE], [`${harmless[0]}${option.slice(1)}${VALUE}`]);
    if (table.syntax === 'tar') ways.push([`v${option.slice(1)}`, VALUE], [`tf${option.slice(1)}`, 'in.tar', VALUE]);
  }
  if (option.startsWith('--')) {
    for (let length = 3; length < option.length; length += 1) {
      const begun = option.slice(0, length);
      const others = [...all].filter((name) => name.startsWith(begun));
      if (others.length === 1) ways.push([begun], [`${begun}=${VALUE}`], [begun, VALUE]);
    }
  }
  return ways;
}

const isInstalled = async (name: string): Promise<boolean> =>
  (await runIn(tmpdir(), ['which', name.split(' ')[0] ?? ''])).code === 0;

/** Returns the options that the installed program itself lists. */
async function optionsListed(name: string): Promise<string[]> {
  const [program = '', sub] = name.split(' ');
  const words = sub === undefined ? [program, '--help'] : [program, sub, '-h'];
  const { output } = await runIn(tmpdir(), words);
  return [...output.matchAll(/(?<=^\s*|[\s,[])--?[A-Za-z][\w-]*/gm)].map(([option]) => option.replace(/-$/, ''));
}

/** Returns the whole command. */
export const wordsOf = ({ program, words }: Evasion): string[] => [
  ...program.split(' '),
  ...words,
  ...(OPERANDS[program] ?? ['in.txt']),
];

/** What a command did in an empty folder of its own. */
export interface Seen {
  /** whether the program read the words without complaint about them */
  isAccepted: boolean;
  /** whether the program ran the mark */
  ran: boolean;
  /** the files that the command made or changed */
  wrote: readonly string[];
}

/** Runs a command in a folder of its own, which is removed afterwards. */
export async function tryOut(evasion: Evasion, furnished: string): Promise<Seen> {
  const dir = mkdtempSync(join(tmpdir(), 'evasion-'));
  try {
    cpSync(furnished, dir, { recursive: true });
    const before = contentsOf(dir);
    const { code, output } = await runIn(dir, wordsOf(evasion));
    const after = contentsOf(dir);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (file) => before.get(file) !== after.get(file),
    );
    const isRefused =
      /unrecognized|unknown|invalid option|illegal|ambiguous|not understood|usage:|requires an argument/i.test(output);
    return {
      isAccepted: code !== null && !(code !== 0 && isRefused),
      ran: changed.includes('ran'),
      wrote: changed.filter((file) => file !== 'ran'),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Makes the folder of which each command gets a copy. The caller removes it. */
export async function furnish(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'evasions-'));
  writeFileSync(join(dir, 'in.txt'), 'b a\na b\n');
  writeFileSync(join(dir, 'in2.txt'), 'a c\n');
  writeFileSync(join(dir, 'in.json'), '{"a": 1}\n');
  writeFileSync(join(dir, 'mark'), '#!/bin/sh\n: > "${0%/*}/ran"\n');
  chmodSync(join(dir, 'mark'), 0o755);
  writeFileSync(join(dir, 'Makefile'), 'none:\n');
  mkdirSync(join(dir, 'home'));
  await runIn(dir, ['tar', '-cf', 'in.tar', 'in.txt']);
  await runIn(dir, ['git', 'init', '-q']);
  await runIn(dir, ['git', 'add', 'in.txt']);
  await runIn(dir, ['git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'a']);
  return dir;
}

/** Reads every file of a folder outside of git's own objects and of what git renews on every call. */
function contentsOf(dir: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(name.parentPath, name.name).slice(dir.length + 1);
    if (path === '.git/index' || path.startsWith('.git/objects')) continue;
    found.set(path, name.isFile() ? readFileSync(join(dir, path), 'latin1') : name.isDirectory() ? 'folder' : 'other');
  }
  return found;
}

function runIn(cwd: string, words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const [program = '', ...rest] = words;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(cwd, 'home'),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    EDITOR: 'true',
  };
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      if (output.length < 100_000) output += chunk.toString('latin1');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', () => resolve({ code: null, output }));
    child.on('close', (code) => resolve({ code, output }));
  });
}
