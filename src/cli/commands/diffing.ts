import type { Command } from 'commander';
import { type Changes, EXIT, type Patch } from '../../protocol/index.ts';
import {
  baseText,
  changedName,
  changeLetter,
  changeStyle,
  leftOutLines,
  linesText,
  tellBinaries,
  totalText,
} from '../../text/changes-words.ts';
import { type PatchRow, patchRows } from '../../text/patch-rows.ts';
import type { StyleName } from '../../text/style.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import { readTurnNumber } from './option-values.ts';

interface DiffOptions {
  stat?: boolean;
  base?: string;
  turn?: string | true;
  json?: boolean;
}

/** Adds `diff`. */
export function addDiffing(program: Command, context: CliContext): void {
  describe(program.command('diff'), {
    group: 'looking',
    summary: 'show what a session changed in its repository',
    more: [
      "Shows the committed, staged, unstaged and untracked changes since the session's branch began. The base is the branch from which the session's branch was started, its upstream, or the default branch; the first line names the base.",
      "Paths are relative to the top of the working tree. In a pipe, the output is git's unmodified patch, for `git apply`. On a terminal, code has colours, invisible characters are shown as escapes, and binary files are described by their sizes before and after.",
    ].join('\n'),
    examples: [
      ['cbos diff AUTH', 'show all changes'],
      ['cbos diff AUTH --stat', 'list the files, with the number of added and removed lines'],
      ['cbos diff AUTH src/login.ts', 'show the changes in one file or folder'],
      ['cbos diff AUTH --base HEAD', 'show what has not been committed yet'],
      ['cbos diff AUTH --turn', 'show what the last turn changed'],
      ['cbos diff AUTH --turn 3 src', 'show what turn 3 changed in src; `cbos turns AUTH` lists the turns'],
      ['cbos diff AUTH | git apply', 'apply the same changes to the current folder'],
      ["cbos diff AUTH --jq '.files[].path'", 'print only the paths'],
    ],
  })
    .argument('<name>', 'the session')
    .argument('[file...]', 'only these files and folders')
    .option('--stat', 'only the files, with the number of changed lines in each')
    .option('--base <revision>', 'compare with this branch, tag or commit instead')
    .option('--turn [number]', 'only what this turn changed; default: the last turn')
    .option('--json', "print the API's list of the files as JSON")
    .action(async (slug: string, files: string[], options: DiffOptions) => {
      if (options.stat === true || options.json === true) await printFiles(context, { slug, files, options });
      else await printPatches(context, { slug, files, options });
    });
}

interface Asked {
  slug: string;
  files: readonly string[];
  options: DiffOptions;
}

/** Returns the query that names what to compare with: a base or a turn. */
function comparedBy({ base, turn }: DiffOptions): { base?: string; turn?: string } {
  if (turn === undefined) return base === undefined ? {} : { base };
  if (base !== undefined) throw new UsageError('--turn and --base cannot be combined', 'leave one of them out');
  return { turn: turn === true || turn === 'last' ? 'last' : String(readTurnNumber(turn)) };
}

async function readChanges(context: CliContext, { slug, files, options }: Asked): Promise<Changes> {
  const client = await context.client();
  const changes = await client.call('changes', { params: { slug }, query: comparedBy(options) });
  if (files.length === 0) return changes;
  const kept = changes.files.filter(({ path }) => files.some((file) => isIn(path, file)));
  const sum = (of: 'added' | 'removed') => kept.reduce((total, file) => total + (file[of] ?? 0), 0);
  return { ...changes, files: kept, total: { files: kept.length, added: sum('added'), removed: sum('removed') } };
}

function isIn(path: string, named: string): boolean {
  const folder = named.replace(/\/+$/, '');
  return path === named || path === folder || path.startsWith(`${folder}/`) || folder === '.';
}

async function printFiles(context: CliContext, asked: Asked): Promise<void> {
  const { out } = context;
  const changes = await readChanges(context, asked);
  if (asked.options.json === true) {
    out.json(changes);
    return;
  }
  if (out.width !== null) out.line(out.style('dim', heading(asked.slug, changes)));
  if (changes.files.length > 0) {
    out.table(
      [{ title: '' }, { title: 'FILE', keeps: 'end' }, { title: 'LINES' }, { title: 'WHERE', worth: 1 }],
      changes.files.map((file) => [
        { text: changeLetter(file), style: changeStyle(file) },
        { text: changedName(file) },
        { text: linesText(file) },
        { text: file.parts.join(', '), style: 'dim' },
      ]),
    );
  }
  for (const line of leftOutLines(changes)) out.notice(line);
}

function heading(slug: string, { base, total }: Changes): string {
  return `${slug}: ${totalText(total)} ${baseText(base)}`;
}

async function printPatches(context: CliContext, asked: Asked): Promise<void> {
  const { out } = context;
  const { slug, files, options } = asked;
  const client = await context.client();
  const ask = (query: { file?: string; old_file?: string }): Promise<Patch> =>
    client.call('patch', { params: { slug }, query: { ...comparedBy(options), ...query } });
  const changes = files.length === 0 && out.width === null ? null : await readChanges(context, asked);
  if (changes !== null && out.width !== null) out.line(out.style('dim', heading(slug, changes)));
  if (files.length === 0) {
    await printPatch(context, await ask({}), changes);
  } else {
    for (const file of files) {
      const oldPath = changes?.files.find(({ path }) => path === file)?.old_path ?? undefined;
      const patch = await ask({ file, ...(oldPath === undefined ? {} : { old_file: oldPath }) });
      if (patch.patch === '') out.notice(`${file} has not changed`);
      await printPatch(context, patch, changes);
    }
  }
  if (changes !== null) for (const line of leftOutLines(changes)) out.notice(line);
}

async function printPatch(context: CliContext, { patch, cut }: Patch, changes: Changes | null): Promise<void> {
  const { out } = context;
  if (out.width === null) await out.raw(patch);
  else await printRows(context, tellBinaries(patchRows(patch), changes?.files ?? []));
  if (!cut) return;
  out.notice('the patch is too long and is cut off here; name files to see the rest');
  // Nobody should apply an incomplete patch in the belief that it is complete.
  context.exitCode = EXIT.failed;
}

async function printRows({ out }: CliContext, rows: readonly PatchRow[]): Promise<void> {
  // The languages are a large part of the program, which pipes do not need.
  const [{ colourPatch }, { dressPieces, terminalPieces }] = await Promise.all([
    import('../../text/syntax/patch-colours.ts'),
    import('../../text/syntax/terminal-colours.ts'),
  ]);
  const colours = colourPatch(rows, () => performance.now());
  for (const [at, row] of rows.entries()) {
    colours.colour(at);
    out.line(dressPieces(out.style, STYLES[row.kind], terminalPieces(row, colours.tokens(at))));
  }
}

const STYLES: Readonly<Record<PatchRow['kind'], StyleName | null>> = {
  file: 'bold',
  said: 'bold',
  hunk: 'cyan',
  context: null,
  added: 'green',
  removed: 'red',
  note: 'dim',
};
