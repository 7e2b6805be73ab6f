import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CatalogueError, EXIT, type RepositoryWorktrees } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { pathText } from '../../text/session-words.ts';
import { commandText, projectSetUpFault, worktreeUse } from '../../text/set-up-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { goneNotes } from '../../text/worktree-commands.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { describe, type JsonOption } from './command-help.ts';

/** Adds `worktrees` and its subcommands. */
export function addWorktrees(program: Command, context: CliContext): void {
  const worktrees = describe(program.command('worktrees'), {
    group: 'sessions',
    summary: 'list worktrees, and manage the commands that set them up',
    more: [
      'The list shows every worktree, no matter who created it, with the sessions that use it. `cbos new NAME --worktree BRANCH --existing` starts a session in a free one.',
      'A repository can name a command that prepares each new worktree before Claude Code starts there, such as `npm ci`: in [[repositories]] in your config.toml, or in its own .cbos/worktree.toml, which counts only once you have trusted it. See docs/guides/worktrees.md.',
    ].join('\n'),
    examples: [
      [
        'cbos worktrees',
        'list the worktrees of the current repository or, outside a repository, those of all sessions',
      ],
      ['cbos worktrees ~/src/shop', 'list the worktrees of this repository'],
      ['cbos worktrees trust ~/src/shop', "read the set-up in the repository's own file, and trust it"],
      ['cbos worktrees skip AUTH', 'start AUTH without its set-up'],
    ],
  });
  addList(worktrees, context);
  addTrust(worktrees, context);
  addSkip(worktrees, context);
}

function addList(worktrees: Command, context: CliContext): void {
  const { out, io } = context;
  worktrees
    .command('ls', { isDefault: true })
    .alias('list')
    .summary('list the worktrees')
    .description('List the worktrees of a repository, with their sessions.')
    .argument('[path]', 'a folder of the repository; default: the current one, or the repositories of all sessions')
    .option('--json', 'print the API response as JSON')
    .action(async (path: string | undefined, options: JsonOption) => {
      const lists = await readLists(context, path);
      if (options.json === true) return out.json(lists);
      if (lists.length === 0) return out.notice('no repositories yet — name a folder of one');
      for (const [index, list] of lists.entries()) {
        if (index > 0) out.line();
        printList(context, list);
        if (list.error !== undefined) context.exitCode = EXIT.failed;
      }
      for (const note of lists.flatMap(goneNotes)) out.notice(note);
      for (const { set_up: file, repository } of lists) {
        const fault = file === null ? null : projectSetUpFault(file, pathText(repository, io.env.HOME));
        if (fault !== null) out.notice(fault);
      }
    });
}

/** If no path is given, use the current folder, provided that it is in a repository. */
async function readLists({ client, io }: CliContext, path: string | undefined): Promise<RepositoryWorktrees[]> {
  const caller = await client();
  if (path !== undefined) return caller.call('listWorktrees', { query: { path: resolve(io.cwd, path) } });
  try {
    return await caller.call('listWorktrees', { query: { path: io.cwd } });
  } catch (error) {
    if (!(error instanceof CatalogueError) || error.code !== 'not_a_repository') throw error;
    return caller.call('listWorktrees', { query: {} });
  }
}

function printList(
  { out, io }: CliContext,
  { repository, set_up: file, own, worktrees, error }: RepositoryWorktrees,
): void {
  const home = io.env.HOME;
  out.line(pathText(repository, home));
  const command = own?.command ?? (file?.state === 'trusted' ? file.command : null);
  if (command !== null && command !== '') out.line(`  set-up: ${commandText(command)}`);
  if (error !== undefined) {
    out.line(`  ${cleanLine(`cannot be read: ${error.message} — ${error.hint}`)}`);
    return;
  }
  const columns = [
    { title: '  BRANCH', keeps: 'both ends' },
    { title: 'PATH', keeps: 'end' },
    { title: 'USED BY', keeps: 'start' },
  ] as const;
  const rows = worktrees.map((one): Cell[] => [
    { text: `  ${cleanLine(one.branch ?? '(no branch)')}` },
    { text: pathText(one.path, home), style: 'dim' },
    { text: worktreeUse(one), style: one.free ? 'green' : null },
  ]);
  out.table(columns, rows);
}

function addTrust(worktrees: Command, context: CliContext): void {
  const { out, io } = context;
  worktrees
    .command('trust')
    .summary("trust the set-up in a repository's own file")
    .description(
      "Show a repository's own .cbos/worktree.toml, and trust exactly this version: CBOS then runs its command in every new worktree.",
    )
    .argument('[path]', 'a folder of the repository; default: the current one')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action(async (path: string | undefined, options: JsonOption & { yes?: boolean }) => {
      const folder = resolve(io.cwd, path ?? '.');
      const client = await context.client();
      const [list] = await client.call('listWorktrees', { query: { path: folder } });
      const file = list?.set_up ?? null;
      if (list === undefined || file === null) {
        throw new CatalogueError('no_such_path', `${list?.repository ?? folder} has no .cbos/worktree.toml`);
      }
      if (file.error !== null) throw new CatalogueError('invalid_set_up', `${file.path}: ${file.error}`);
      if (options.json !== true) {
        out.lines((file.content ?? '').trimEnd().split('\n').map(shownLine));
        // A TOML string may contain escapes, so the command may differ from what the file shows.
        const command = file.command === null ? [] : file.command.split('\n').map((line) => `  ${shownLine(line)}`);
        if (command.length > 0) out.lines(['', 'The command:', ...command]);
      }
      const question = `Run this in every new worktree of ${pathText(list.repository, io.env.HOME)}?`;
      if (options.yes !== true && !(await confirm(context, question))) return out.notice('nothing was changed');
      const trusted = await client.call('trustSetUp', { body: { path: folder, sha256: file.sha256 ?? '' } });
      out.result(options.json, trusted, `${commandText(trusted.command ?? '')} runs in each new worktree from now on`);
    });

  worktrees
    .command('untrust')
    .summary("stop trusting the set-up in a repository's own file")
    .description("Stop trusting the set-up in a repository's own file.")
    .argument('[path]', 'a folder of the repository; default: the current one')
    .option('--json', 'print the API response as JSON')
    .action(async (path: string | undefined, options: JsonOption) => {
      const client = await context.client();
      const file = await client.call('untrustSetUp', { body: { path: resolve(io.cwd, path ?? '.') } });
      out.result(options.json, file, 'The set-up is no longer trusted');
    });
}

/** Returns a line with its indentation, and with invisible characters shown as escapes. */
const shownLine = (line: string): string => cleanBlock(showHiddenMarks(line));

function addSkip(worktrees: Command, context: CliContext): void {
  const { out } = context;
  worktrees
    .command('skip')
    .summary("skip the set-up of a session's worktree")
    .description("Skip the set-up of a session's worktree, for example because you have prepared the worktree by hand.")
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: JsonOption) => {
      const client = await context.client();
      const session = await client.call('skipSetUp', { params: { slug } });
      if (options.json === true) return out.json(session);
      const isDead = session.status.primary === 'dead';
      out.line(`${slug} starts without its set-up${isDead ? `: cbos restart ${slug}` : ''}`);
    });
}
