import type { Command } from 'commander';
import { type Caller, readFolder } from '../../client/index.ts';
import {
  type CheckpointChanges,
  type CheckpointFile,
  type CheckpointFiles,
  checkpointAt,
  EXIT,
  type TurnState,
} from '../../protocol/index.ts';
import { changeLetter, changeStyle } from '../../text/changes-words.ts';
import {
  checkpointLines,
  contentText,
  entryName,
  entryText,
  fileLines,
  markedEntries,
  marksOf,
  stateText,
} from '../../text/checkpoint-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { CommandError, UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import { readMoment, readTurnNumber } from './option-values.ts';

interface TreeOptions {
  to?: string;
  before?: string;
  at?: ReturnType<typeof readMoment>;
  json?: boolean;
}

/** A checkpoint as the API takes it. */
interface Which {
  params: { slug: string; turn: string };
  query: { state?: TurnState };
}

/** Adds `tree`. */
export function addPastFiles(program: Command, context: CliContext): void {
  describe(program.command('tree'), {
    group: 'looking',
    summary: 'list or print the files of a session as they were before or after a turn',
    more: [
      'Without --to, --before or --at, the command uses the last files that CBOS saved. A path names a folder to list or a file to print, relative to the top of the working tree. A letter marks what changed since the checkpoint before, which is the beginning of the same turn or the end of the previous one.',
      'Symbolic links are printed as their target. In a pipe, a file is printed byte for byte; on a terminal, invisible characters are shown as escapes.',
    ].join('\n'),
    examples: [
      ['cbos tree AUTH', 'list the files at the top of the working tree'],
      ['cbos tree AUTH src --before 3', 'list the files in src as they were before turn 3'],
      ['cbos tree AUTH src/login.ts --to 2', 'print a file as turn 2 left it'],
      ['cbos tree AUTH --at 20m', 'list the files as they were 20 minutes ago'],
      ["cbos tree AUTH --jq '.entries[].name'", 'print only the names'],
    ],
  })
    .argument('<name>', 'the session')
    .argument('[path]', 'a folder or a file')
    .option('--to <turn>', 'the files as this turn left them')
    .option('--before <turn>', 'the files as they were before this turn')
    .option('--at <when>', 'the files at a time, or at a span before now such as 20m', readMoment)
    .option('--json', 'print the API response as JSON')
    .action((slug: string, path: string | undefined, options: TreeOptions) =>
      show(context, { slug, path: path ?? '', options }),
    );
}

async function show(
  context: CliContext,
  { slug, path, options }: { slug: string; path: string; options: TreeOptions },
): Promise<void> {
  const client = await context.client();
  const which = await findCheckpoint(context, client, { slug, options });
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const whole = names.join('/');
  const file =
    whole === '' ? null : await client.call('checkpointFile', { ...which, query: { ...which.query, path: whole } });
  if (file !== null && file.kind !== 'folder') await printFile(context, slug, { file, isJson: options.json === true });
  else {
    const files = await readFolder(client, { ...which, query: { ...which.query, folder: whole } });
    if (options.json === true) context.out.json(files);
    else printFolder(context, slug, { files, changes: await client.call('checkpointChanges', which) });
  }
}

async function findCheckpoint(
  { io, out }: CliContext,
  client: Caller,
  { slug, options }: { slug: string; options: TreeOptions },
): Promise<Which> {
  const { to, before, at } = options;
  if ([to, before, at].filter((one) => one !== undefined).length > 1)
    throw new UsageError('Use only one of --to, --before and --at', 'cbos turns NAME lists the turns');
  const of = (turn: string, state?: TurnState): Which => ({
    params: { slug, turn },
    query: state === undefined ? {} : { state },
  });
  if (to !== undefined) return of(String(readTurnNumber(to)), 'end');
  if (before !== undefined) return of(String(readTurnNumber(before)), 'begin');
  if (at === undefined) return of('last');
  const { turns } = await client.call('listTurns', { params: { slug } });
  const found = checkpointAt(turns, 'at' in at ? Date.parse(at.at) : io.now() - at.agoMs);
  const [said = '', ...more] = checkpointLines(found);
  if (found.kind !== 'found') throw new CommandError(said.replace(/\.$/, ''), `cbos turns ${slug} lists the turns`);
  for (const line of more) out.notice(line);
  return of(String(found.checkpoint.turn), found.checkpoint.state);
}

function printFolder(
  { out }: CliContext,
  slug: string,
  { files, changes }: { files: CheckpointFiles; changes: CheckpointChanges },
): void {
  if (out.width !== null) out.line(out.style('dim', `${slug}: the files ${stateText(files)}`));
  const entries = markedEntries(files.folder, files.entries, marksOf(changes.files));
  if (entries.length === 0) out.notice('no files');
  else
    out.table(
      [{ title: '' }, { title: 'FILE', keeps: 'end' }, { title: 'SIZE' }, { title: 'CHANGED', worth: 1 }],
      entries.map((entry) => [
        entry.change === null ? { text: '' } : { text: changeLetter(entry.change), style: changeStyle(entry.change) },
        { text: entryName(entry) },
        { text: entryText(entry) },
        { text: entry.changes === 0 ? '' : `${entry.changes} below`, style: 'dim' },
      ]),
    );
}

async function printFile(
  context: CliContext,
  slug: string,
  { file, isJson }: { file: CheckpointFile; isJson: boolean },
): Promise<void> {
  const { out } = context;
  if (isJson) return out.json(file);
  const { content, encoding, cut, commit } = file;
  const told = contentText(file);
  if (content === null) throw new CommandError((told ?? '').replace(/\.$/, ''), `cbos tree ${slug} lists the files`);
  if (out.width === null) await out.raw(encoding === 'base64' ? Buffer.from(content, 'base64') : content);
  else if (told !== null) out.notice(told);
  else for (const line of fileLines(content)) out.line(showHiddenMarks(line));
  if (!cut) return;
  out.notice(`the file is too long and is cut off here; git show ${commit}:PATH prints all of it`);
  // Nobody should use an incomplete file in the belief that it is complete.
  context.exitCode = EXIT.failed;
}
