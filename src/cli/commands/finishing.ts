import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CatalogueError, EXIT, FINISH_WAYS, type FinishHow, type SavedWork } from '../../protocol/index.ts';
import { agoText } from '../../text/explanation-text.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { finishedLines, finishNotes, finishQuestion, mergesBy, uncommittedText } from '../../text/worktree-words.ts';
import { CommandError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';

type FinishOptions = Partial<Record<FinishHow, boolean>> & { into?: string; yes?: boolean; json?: boolean };

interface RecoverOptions {
  to?: string;
  branch?: string;
  repository?: string;
  json?: boolean;
}

/** `finish` and `recover`. */
export function addFinishing(program: Command, context: CliContext): void {
  describe(program.command('finish'), {
    group: 'sessions',
    summary: 'bring the worktree of a session to its end: merge it or not, and remove it',
    more: [
      'Nothing goes that is not in another ref: files in no commit, what is staged, ignored files that .worktreeinclude names, stashes and commits that no branch has are saved under refs/cbos/. `cbos recover` lists that and brings it back. What git ignores otherwise goes.',
      'The session is stopped first, and refused while it works or asks. A conflict, a base that is checked out with changes, or anything else in the way is told, and nothing is changed. After a crash, the same command does what is left.',
      'It asks first. Where nobody can be asked, as in a script, it needs --yes. No hook and no filter of the repository runs.',
    ].join('\n'),
    examples: [
      ['cbos finish AUTH --merge', 'into the branch that it started from'],
      ['cbos finish AUTH --squash --into develop', 'as one commit on another branch'],
      ['cbos finish AUTH --keep', 'only the folder goes, the branch stays'],
      ['cbos finish AUTH --discard --yes', 'merge nothing, ask nothing'],
      ['cbos recover', 'what was saved of all of them'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--merge', 'merge its branch into the base: a fast-forward, or a merge commit of yours')
    .option('--rebase', 'put its commits on top of the base')
    .option('--squash', 'put its changes on top of the base as one commit of yours')
    .option('--keep', 'keep its branch, merge nothing')
    .option('--discard', 'merge nothing, and delete the branch if it was made for the session')
    .option('--into <branch>', 'the base: the branch that gets its commits')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'the REST body')
    .action((slug: string, options: FinishOptions) => finish(context, slug, options));

  describe(program.command('recover'), {
    group: 'sessions',
    summary: 'list what was saved of finished worktrees, or bring it back',
    more: [
      'A worktree comes back byte for byte where it was, on its branch, with each file changed, staged or untracked as it was; `cbos restart` then goes on with its session. With --branch alone only a branch is made: its commits, and what was in none of them as one more.',
      'It is listed for the repositories of all sessions and of the current folder. It stays until you delete it: `git update-ref -d REF`.',
    ].join('\n'),
    examples: [
      ['cbos recover', 'list it, newest first'],
      ['cbos recover AUTH/20261123T151204Z-3f2a9c1e', 'where it was'],
      ['cbos recover AUTH --to ~/old-auth --branch old-auth', 'the newest of AUTH, elsewhere'],
      ['cbos recover AUTH --branch old-auth', 'only a branch'],
    ],
  })
    .argument('[id]', 'what was saved, or a session for the newest of it')
    .option('--to <folder>', 'bring the worktree back here')
    .option('--branch <branch>', 'on this branch; without --to, only a branch is made')
    .option('--repository <folder>', 'look in this repository too; the current folder when left out')
    .option('--json', 'the REST body')
    .action((id: string | undefined, options: RecoverOptions) =>
      id === undefined ? list(context, options) : recover(context, id, options),
    );
}

async function finish(context: CliContext, slug: string, options: FinishOptions): Promise<void> {
  const { out } = context;
  const [how, ...others] = FINISH_WAYS.filter((way) => options[way] === true);
  if (how === undefined || others.length > 0) {
    const ways = FINISH_WAYS.map((way) => `--${way}`).join(', ');
    throw new CommandError(`Exactly one of ${ways} is needed`, 'cbos finish --help', EXIT.usage);
  }
  if (options.into !== undefined && (how === 'keep' || how === 'discard')) {
    throw new CommandError(`--${how} merges nothing, so --into has no meaning`, 'leave it out', EXIT.usage);
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
    if (!(await confirm(context, finishQuestion(session, how, options.into)))) {
      out.notice(`${slug} not finished`);
      context.exitCode = EXIT.failed;
      return;
    }
  }
  const session = await client.call('finishSession', { params: { slug }, body: { how, stop: true, ...intoQuery } });
  if (options.json === true) out.json(session);
  else for (const [at, line] of finishedLines(session).entries()) out.line(at === 0 ? line : `  ${line}`);
}

async function readSaved(context: CliContext, { repository }: RecoverOptions): Promise<SavedWork[]> {
  const client = await context.client();
  return client.call('listSaved', { query: { path: resolve(context.io.cwd, repository ?? '.') } });
}

async function list(context: CliContext, options: RecoverOptions): Promise<void> {
  const { out, io } = context;
  if (options.to !== undefined || options.branch !== undefined) {
    throw new CommandError('Say what to bring back', 'cbos recover lists what there is', EXIT.usage);
  }
  const saved = await readSaved(context, options);
  if (options.json === true) return out.json(saved);
  if (saved.length === 0) {
    out.notice('nothing is saved: no worktree was finished in this repository or in one of a session');
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
  // The newest is first.
  const found = all.find((one) => one.id === id) ?? all.find((one) => one.session === id);
  if (found === undefined) throw new CatalogueError('no_such_save', `Nothing is saved as ${cleanLine(id)}`);
  const client = await context.client();
  const folder = to !== undefined ? resolve(context.io.cwd, to) : branch !== undefined ? null : undefined;
  const recovered = await client.call('recover', {
    body: {
      repository: found.repository,
      id: found.id,
      ...(branch === undefined ? {} : { branch }),
      ...(folder === undefined ? {} : { folder }),
    },
  });
  if (options.json === true) return out.json(recovered);
  const where = recovered.folder === null ? '' : `, in ${cleanLine(recovered.folder)}`;
  out.line(`${cleanLine(found.id)} is back on the branch ${cleanLine(recovered.branch)}${where}`);
  if (recovered.folder === found.folder)
    out.line(`  cbos restart ${cleanLine(found.session)} goes on with its session`);
  for (const commit of found.also) out.line(`  it has another commit too: git show ${commit.slice(0, 12)}`);
}
