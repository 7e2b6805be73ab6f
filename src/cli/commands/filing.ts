import type { Command } from 'commander';
import { CatalogueError, type StoredFile } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { formatSize } from '../../text/recording-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { fileText } from '../local-file.ts';
import type { Cell } from '../output/table.ts';
import { describe } from './command-help.ts';
import { collect } from './option-values.ts';

interface FilesOptions {
  rm?: readonly string[];
  yes?: boolean;
  json?: boolean;
}

/** Adds `files`. */
export function addFiling(program: Command, context: CliContext): void {
  describe(program.command('files'), {
    group: 'talking',
    summary: 'list or delete the files that were sent into a session',
    more: 'CBOS keeps a private copy of each file beside the session, until you delete it or the session. You can shorten an id as long as it is unambiguous.',
    examples: [
      ['cbos files AUTH', 'list the files'],
      ['cbos files AUTH --rm 3f2a91c0', 'delete a file, after you confirm'],
      ["cbos send AUTH 'what is wrong here?' --file shot.png", 'send a file with a prompt'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--rm <id>', 'delete this file; may be repeated', collect)
    .option('-y, --yes', 'with --rm: do not ask for confirmation')
    .option('--json', 'print the API responses as JSON')
    .action(async (slug: string, { rm, ...options }: FilesOptions) => {
      const client = await context.client();
      const files = await client.call('listFiles', { params: { slug } });
      if (rm !== undefined) return remove(context, { slug, files, ids: rm, ...options });
      if (options.json === true) context.out.json(files);
      else if (files.length === 0) context.out.notice(`${slug} has no files — cbos send ${slug} --file PATH sends one`);
      else printFiles(context, files);
    });
}

async function remove(
  context: CliContext,
  request: { slug: string; files: readonly StoredFile[]; ids: readonly string[]; yes?: boolean; json?: boolean },
): Promise<void> {
  const { slug, files, ids, yes, json } = request;
  const chosen = [...new Set(ids.map((id) => findFile(files, id)))];
  const question = `Delete ${chosen.map(fileText).join(', ')} from ${slug}? This cannot be undone.`;
  if (yes !== true && !(await isConfirmed(context, question, 'nothing was deleted'))) return;
  const client = await context.client();
  for (const { id } of chosen) {
    const removed = await client.call('removeFile', { params: { slug, id } });
    if (json === true) context.out.jsonLine(removed);
    else context.out.line(`deleted: ${fileText(removed)}`);
  }
}

/** @throws CatalogueError file_not_stored; CommandError if several ids match */
function findFile(files: readonly StoredFile[], given: string): StoredFile {
  const fitting = files.filter(({ id }) => given !== '' && id.startsWith(given));
  const [first, second] = fitting;
  if (first === undefined) throw new CatalogueError('file_not_stored', `No stored file has the id ${cleanLine(given)}`);
  if (second === undefined) return first;
  throw new UsageError(`${cleanLine(given)} matches ${fitting.length} files`, 'type more characters of the id');
}

function printFiles({ out, io }: CliContext, files: readonly StoredFile[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'ID' },
      { title: 'NAME', keeps: 'both ends' },
      { title: 'SIZE' },
      { title: 'TYPE', worth: 1 },
      { title: 'AGE', worth: 2 },
      { title: 'PATH', keeps: 'end', worth: 1 },
    ],
    files.map((file): Cell[] => [
      { text: cleanLine(file.id), style: 'bold' },
      { text: cleanLine(file.name) },
      { text: formatSize(file.size) },
      { text: cleanLine(file.type), style: 'dim' },
      { text: formatSince(file.added_at, now) },
      { text: cleanLine(file.path), style: 'dim' },
    ]),
  );
}
