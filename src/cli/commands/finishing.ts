import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CatalogueError, EXIT, FINISH_WAYS, type FinishHow, type SavedWork } from '../../protocol/index.ts';
import { agoText } from '../../text/explanation-text.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { finishedLines, finishNotes, finishQuestion, mergesBy, uncommittedText } from '../../text/worktree-words.ts';
import { UsageError } from '../command-error.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe } from './command-help.ts';
import { openPullRequest, type PullRequestOptions } from './requesting.ts';

type FinishOptions = Partial<Record<FinishHow, boolean>> & Partial<PullRequestOptions> & { pr?: boolean };

interface RecoverOptions {
  to?: string;
  branch?: string;
  repository?: string;
  json?: boolean;
}

/** Adds `finish` and `recover`. */
export function addFinishing(program: Command, context: CliContext): void {
  describe(program.command('finish'), {
    group: 'sessions',
    summary: "finish a session's worktree: merge, keep or discard its branch, and remove the folder",
    more: [
      'CBOS first saves, under refs/cbos/, everything that is in no other ref: uncommitted files, staged changes, ignored files that .worktreeinclude names, stashes, and commits on no branch. `cbos recover` lists what was saved and restores it. Other ignored files are deleted.',
      'The command first stops the session, but refuses while the session is working or asking something. If there is an obstacle, such as a conflict, a base with uncommitted changes, another repository inside the worktree, or another process that works or writes there, the command reports it and changes nothing. After a crash, run the same command again to complete it.',
      '--pr neither merges nor removes anything: it pushes the branch and opens a pull request with your own `gh`, or a merge request with your own `glab`, whichever is logged in to the host of the remote. You see the title and the description first. Run the command again to push later commits. `cbos ls -l` shows the state of the checks; CBOS queries the forge only while somebody is looking, at most every two minutes.',
      "The command asks for confirmation first. In a script, where nobody can answer, it needs --yes. The repository's hooks and filters do not run. The command names the hooks that git itself would run for the merge, before it asks and in its result.",
    ].join('\n'),
    examples: [
      ['cbos finish AUTH --merge', 'merge into the branch that the worktree started from'],
      ['cbos finish AUTH --squash --into develop', 'merge as one commit, into another branch'],
      ['cbos finish AUTH --pr', 'open a pull request on GitHub, or a merge request on GitLab'],
      ['cbos finish AUTH --keep', 'remove only the folder; keep the branch'],
      ['cbos finish AUTH --discard --yes', 'merge nothing, and do not ask'],
      ['cbos recover', 'list what was saved from all worktrees'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--merge', 'merge its branch into the base: fast-forward, or with a merge commit in your name')
    .option('--rebase', 'rebase its commits onto the base')
    .option('--squash', 'squash its changes into one commit in your name on the base')
    .option('--keep', 'keep its branch, and merge nothing')
    .option('--discard', 'merge nothing, and delete the branch if it was created for the session')
    .option('--pr', 'push its branch and open a pull request; the worktree stays')
    .option('--title <text>', 'title of the pull request')
    .option('--body <text>', 'description of the pull request')
    .option('--draft', 'open the pull request as a draft')
    .option('--into <branch>', 'the base, which is the branch to merge into')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action((slug: string, options: FinishOptions) => finish(context, slug, options));

  describe(program.command('recover'), {
    group: 'sessions',
    summary: 'list what was saved from finished worktrees, or restore it',
    more: [
      'A worktree is restored byte for byte, in its former folder and on its branch, with every changed, staged or untracked file. `cbos restart` then continues its session. --branch without --to only creates a branch, with the commits and one more commit for the uncommitted changes.',
      'The list covers the repositories of all sessions and of the current folder. What was saved stays until you delete it: `git update-ref -d REF`.',
    ].join('\n'),
    examples: [
      ['cbos recover', 'list what was saved, newest first'],
      ['cbos recover AUTH/20261123T151204Z-3f2a9c1e', 'restore the worktree in its former folder'],
      ['cbos recover AUTH --to ~/old-auth --branch old-auth', 'restore the newest copy of AUTH elsewhere'],
      ['cbos recover AUTH --branch old-auth', 'only a branch'],
    ],
  })
    .argument('[id]', 'the id of a saved worktree, or a session name for the newest one of that session')
    .option('--to <folder>', 'restore the worktree in this folder')
    .option('--branch <branch>', 'restore the worktree on this branch; without --to, only create the branch')
    .option('--repository <folder>', 'also look in this repository; default: the repository of the current folder')
    .option('--json', 'print the API response as JSON')
    .action((id: string | undefined, options: RecoverOptions) =>
      id === undefined ? list(context, options) : recover(context, id, options),
    );
}

async function finish(context: CliContext, slug: string, options: FinishOptions): Promise<void> {
  const { out } = context;
  const [how, ...others] = FINISH_WAYS.filter((way) => options[way] === true);
  if (options.pr === true && how === undefined) return openPullRequest(context, slug, options);
  if (options.title !== undefined || options.body !== undefined || options.draft === true) {
    throw new UsageError('--title, --body and --draft need --pr', 'cbos finish --help');
  }
  if (how === undefined || options.pr === true || others.length > 0) {
    const ways = [...FINISH_WAYS, 'pr'].map((way) => `--${way}`).join(', ');
    throw new UsageError(`Use exactly one of ${ways}`, 'cbos finish --help');
  }
  if (options.into !== undefined && (how === 'keep' || how === 'discard')) {
    throw new UsageError(`--into cannot be combined with --${how}, which merges nothing`, 'leave out --into');
  }
  const client = await context.client();
  const { into } = options;
  const intoQuery = into === undefined ? {} : { into };
  if (options.yes !== true) {
    const session = await client.call('getSession', { params: { slug } });
    const preview = await client.call('previewFinish', { params: { slug }, query: intoQuery });
    const { uncommitted } = preview;
    if (mergesBy(how) && uncommitted.length > 0) {
      throw new CatalogueError('uncommitted_changes', uncommittedText(uncommitted), { extra: { files: uncommitted } });
    }
    for (const line of finishNotes(preview, how)) out.notice(line);
    const question = finishQuestion(session, how, { into, on: preview.on });
    if (!(await isConfirmed(context, question, `${slug} not finished`))) return;
  }
  const session = await client.call('finishSession', { params: { slug }, body: { how, stop: true, ...intoQuery } });
  if (options.json === true) out.json(session);
  else for (const [at, line] of finishedLines(session).entries()) out.line(at === 0 ? line : `  ${line}`);
}

async function readSaved(context: CliContext, { repository }: RecoverOptions): Promise<SavedWork[]> {
  const client = await context.client();
  const saved = await client.call('listSaved', { query: { path: resolve(context.io.cwd, repository ?? '.') } });
  // What is saved in a repository that git cannot read is not in the list.
  const lists = await client.call('listWorktrees', { query: {} }).catch(() => []);
  for (const { repository: root, error } of lists) {
    if (error === undefined) continue;
    context.out.notice(cleanLine(`${root} is left out: ${error.message} — ${error.hint}`));
    context.exitCode = EXIT.failed;
  }
  return saved;
}

async function list(context: CliContext, options: RecoverOptions): Promise<void> {
  const { out, io } = context;
  if (options.to !== undefined || options.branch !== undefined) {
    throw new UsageError('Name what to restore', 'cbos recover lists what was saved');
  }
  const saved = await readSaved(context, options);
  if (options.json === true) return out.json(saved);
  if (saved.length === 0) {
    if (context.exitCode === EXIT.failed) return;
    out.notice("nothing is saved: no worktree was finished in this repository or in a session's repository");
    return;
  }
  out.table(
    [
      { title: 'ID' },
      { title: 'BRANCH' },
      { title: 'WHEN' },
      { title: 'UNCOMMITTED' },
      { title: 'FOLDER', keeps: 'end', worth: 1 },
    ],
    saved.map(({ id, branch, into, at, uncommitted, folder }) => [
      { text: cleanLine(id) },
      { text: cleanLine(into === null ? branch : `${branch} → ${into}`) },
      { text: agoText(at, io.now()) },
      { text: uncommitted === 0 ? '' : uncommitted === 1 ? '1 file' : `${uncommitted} files` },
      { text: cleanLine(folder), style: 'dim' },
    ]),
  );
}

async function recover(context: CliContext, id: string, options: RecoverOptions): Promise<void> {
  const { out } = context;
  const { to, branch } = options;
  const all = await readSaved(context, options);
  // `all` is sorted newest first.
  const found = all.find((one) => one.id === id) ?? all.find((one) => one.session === id);
  if (found === undefined) throw new CatalogueError('no_such_save', `Nothing is saved as ${cleanLine(id)}`);
  const client = await context.client();
  const folder = to !== undefined ? resolve(context.io.cwd, to) : branch !== undefined ? null : undefined;
  const recovered = await client.call('recover', {
    body: { repository: found.repository, id: found.id, ...withoutUndefined({ branch, folder }) },
  });
  if (options.json === true) return out.json(recovered);
  const where = recovered.folder === null ? '' : `, in ${cleanLine(recovered.folder)}`;
  out.line(`${cleanLine(found.id)} is back on the branch ${cleanLine(recovered.branch)}${where}`);
  if (recovered.folder === found.folder) out.line(`  cbos restart ${cleanLine(found.session)} continues its session`);
  for (const commit of found.also) out.line(`  CBOS also saved another commit: git show ${commit.slice(0, 12)}`);
}
