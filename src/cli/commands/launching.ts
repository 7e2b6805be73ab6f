import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { attemptSlugs, launchSeveral, MOST_TIMES } from '../../client/launch-several.ts';
import { CatalogueError, isSlug, PERMISSION_MODES, SESSION_TYPES, type Session } from '../../protocol/index.ts';
import { pathText } from '../../text/session-words.ts';
import { setUpNotice } from '../../text/set-up-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, isInteractive } from '../context.ts';
import { forEach } from '../for-each.ts';
import { requireStarted } from '../require-started.ts';
import { describe } from './command-help.ts';
import { type LaunchBody, type NewOptions, newSessionBody } from './new-session-body.ts';
import { collectLabel, collectVariable, readDollars, readWhole } from './option-values.ts';
import { collectTag } from './selector-options.ts';

/** Adds `new`. */
export function addLaunching(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('new'), {
    group: 'sessions',
    summary: 'launch Claude Code in a directory',
    more: [
      'Everything after -- is passed to claude. For a session in a terminal, the command then waits until claude is there, and reports what it says if it rejects an argument.',
      'With --host, the session is launched on another machine in the fleet, which must allow it: launching needs the right to launch, a first prompt, --env and arguments for claude also the right to type, and a permission mode other than default and plan the right to answer. The directory is one on that machine, as an absolute path. `--host any` chooses among the machines that can be reached now: those with each --label, by their load and then by the number of their sessions.',
      'A repository can name a command that prepares each new worktree, such as `npm ci`. The command runs in the terminal of the session before Claude Code starts, and only if you have named or trusted it: `cbos worktrees --help`. Each worktree gets its own port, in the environment variable CBOS_WORKTREE_PORT.',
    ].join('\n'),
    examples: [
      ['cbos new ~/src/auth', 'start a session in a directory; its name is the last part of the path: auth'],
      ['cbos new AUTH', 'start a session named AUTH in the current directory'],
      ["cbos new AUTH ~/src/auth --prompt 'fix the login test'", 'give the session a first prompt'],
      ['cbos new PLAN . --permission-mode plan --cols 160 --rows 45', 'start in plan mode, in a larger terminal'],
      [
        'cbos new CI . --type json --max-budget-usd 5',
        'start a session without a terminal, for scripts and the browser',
      ],
      ['cbos new LOGIN ~/src/auth --worktree', 'work in a new git worktree, on the new branch LOGIN'],
      ['cbos new LOGIN ~/src/auth --worktree fix/login --from main', 'work on another branch, which starts from main'],
      [
        'cbos new LOGIN ~/src/auth --worktree fix/login --existing',
        'work in the existing worktree that has this branch checked out',
      ],
      [
        "cbos new FIX . --worktree --times 3 --prompt 'fix the login test'",
        'give the same task to FIX-1, FIX-2 and FIX-3',
      ],
      ['cbos new TRAIN /srv/model --host any --label gpu', 'use the least busy machine of the fleet that has a GPU'],
      ['cbos new LOGIN ~/src/auth --tag night', 'give the session a tag, for `cbos ls --tag night`'],
      [
        'cbos new API ~/src/api --env DEBUG=1 -- --add-dir ../shared',
        'set an environment variable, and pass arguments to claude',
      ],
    ],
  })
    .usage('[options] <name> [path] [-- CLAUDE_ARGS…]\n       cbos new [options] <path> [-- CLAUDE_ARGS…]')
    .argument(
      '<new-name>',
      'the session name: letters, digits, - and _; if you give only a path, its last part becomes the name',
    )
    .argument('[path]', 'the directory that the session works in; default: the current one')
    .addOption(
      new Option(
        '--type <type>',
        'screen: a terminal in GNU Screen; json: structured events without a terminal',
      ).choices(SESSION_TYPES),
    )
    .option('-p, --prompt <text>', 'the first prompt')
    .addOption(new Option('--permission-mode <mode>', "Claude Code's permission mode").choices(PERMISSION_MODES))
    .option('-m, --model <model>', 'the model; accepts what claude --model accepts')
    .option('--cols <n>', 'terminal width, in columns', readWhole(20, 500))
    .option('--rows <n>', 'terminal height, in rows', readWhole(5, 200))
    .option('--max-budget-usd <amount>', 'the maximum cost of a JSON session, in dollars', readDollars)
    .option(
      '-w, --worktree [branch]',
      'launch it in its own git worktree, on this branch; a new branch is created if needed',
    )
    .option('--from <ref>', 'with --worktree: where a new branch starts')
    .option('--existing', 'with --worktree BRANCH: use the worktree that has this branch checked out, if it is free')
    .option('--same-folder', 'launch it there even if another session works in that worktree')
    .option('--set-up', "run the repository's set-up first, even in an existing worktree")
    .option('--no-set-up', "do not run the repository's set-up in the new worktree")
    .option(
      '--times <n>',
      'with --worktree: launch this many sessions with the same task, NAME-1 to NAME-n; `cbos compare` compares them',
      readWhole(2, MOST_TIMES),
    )
    .option('--tag <tag>', 'add this tag; may be repeated, the first tag is the group', collectTag)
    .option('--host <machine>', 'launch it on this machine in the fleet; any chooses the least busy one')
    .option('--label <label>', 'with --host any: only machines with this label; may be repeated', collectLabel)
    .option('--env <K=V>', 'an environment variable; may be repeated', collectVariable)
    .option('--json', 'print the API response as JSON')
    .action(async (first: string, second: string | undefined, options: NewOptions) => {
      if (options.from !== undefined && options.worktree === undefined) {
        throw new UsageError('--from needs --worktree', 'add --worktree');
      }
      requireWorktree(options);
      if (options.times !== undefined && options.worktree === undefined) {
        throw new UsageError('--times needs --worktree: each session gets its own files', 'add --worktree');
      }
      if (options.host !== undefined) return launchOnHost(context, { first, second, options, host: options.host });
      if (options.label !== undefined) throw new UsageError('--label needs --host', 'add --host any');
      const client = await context.client();
      const [slug, path] =
        second === undefined && isPath(first) ? [await nameFor(context, first), first] : [first, second];
      const { settings } = await context.settings();
      const body = newSessionBody({ context, slug, path, options, defaultType: settings.default_type ?? 'screen' });
      if (options.times !== undefined) return printSeveral(context, body, { times: options.times, json: options.json });
      const session = await client
        .call('createSession', { body })
        .catch((error: unknown) => useFreeWorktree(context, body, error));
      // Claude Code may reject an argument that CBOS only passes on.
      if (body.args !== undefined) await requireStarted(context, session.slug);
      if (options.json === true) return out.json(session);
      printLaunched(context, session);
      if (session.type === 'json') out.line(`  cbos invoke ${session.slug} PROMPT   # run a turn`);
      else out.line(`  cbos attach ${session.slug}   # open its terminal; Ctrl-A d leaves it`);
      out.line(`  cbos show ${session.slug}     # see what it is doing and asking`);
    });
}

/** Launches a session on another machine in the fleet. */
async function launchOnHost(
  context: CliContext,
  request: { first: string; second: string | undefined; options: NewOptions; host: string },
): Promise<void> {
  const { first, second, options, host } = request;
  if (options.label !== undefined && host !== 'any') {
    throw new UsageError('--label chooses among machines, but --host names one', 'use --host any');
  }
  if (options.times !== undefined) {
    throw new UsageError('--times and --host cannot be combined', 'launch them one by one');
  }
  const { launchFar, requireFarPath } = await import('../launch-far.ts');
  const [slug, path] = second === undefined && isPath(first) ? [nameOf(first), first] : [first, second];
  requireFarPath(path);
  const { settings } = await context.settings();
  const body = newSessionBody({ context, slug, path, options, defaultType: settings.default_type ?? 'screen' });
  await launchFar(context, { host, labels: options.label ?? [], body, isJson: options.json === true });
}

/**
 * Launches several sessions with the same task, and prints each. If a later launch fails, the error names the sessions
 * that are already running.
 */
async function printSeveral(
  context: CliContext,
  body: LaunchBody,
  { times, json }: { times: number; json: boolean | undefined },
): Promise<void> {
  const { out } = context;
  const launched: Session[] = [];
  const onLaunched = (session: Session): void => {
    launched.push(session);
    if (json !== true) printLaunched(context, session);
  };
  await launchSeveral(await context.client(), body, { times, onLaunched }).catch((error) => {
    if (launched.length > 0)
      out.notice(`these sessions had already been launched: ${launched.map((one) => one.slug).join(', ')}`);
    throw error;
  });
  if (body.args !== undefined) {
    const slugs = launched.map(({ slug }) => slug);
    await forEach(context, slugs, (slug) => requireStarted(context, slug));
  }
  out.result(json, launched, `  cbos compare ${attemptSlugs(body.slug, times).join(' ')}   # what each of them did`);
}

function printLaunched({ out, io }: CliContext, session: Session): void {
  const { slug, path, worktree } = session;
  out.line(`${cleanLine(slug)} started in ${pathText(path, io.env.HOME)}`);
  if (worktree === undefined) return;
  const base = worktree.base === null ? '' : `, from ${cleanLine(worktree.base)}`;
  out.line(`  on the branch ${cleanLine(worktree.branch)}${base}`);
  if (worktree.existing === true) out.line(`  in the existing worktree ${pathText(worktree.path, io.env.HOME)}`);
  const setUp = setUpNotice(session);
  if (worktree.set_up?.state === 'untrusted') out.notice(setUp);
  else if (setUp !== '') out.line(`  ${setUp}${worktree.set_up?.state === 'running' ? `: cbos logs -f ${slug}` : ''}`);
  for (const name of worktree.left_out) out.notice(`${cleanLine(name)} from .worktreeinclude was not copied`);
}

/** @throws CommandError */
function requireWorktree({ worktree, existing, setUp, from, times }: NewOptions): void {
  if (setUp !== undefined && worktree === undefined) {
    throw new UsageError(`--${setUp ? '' : 'no-'}set-up needs --worktree`, 'add --worktree');
  }
  if (existing !== true) return;
  if (typeof worktree !== 'string') {
    throw new UsageError('--existing needs a branch', 'name it: --worktree BRANCH --existing');
  }
  const other = from !== undefined ? '--from' : times !== undefined ? '--times' : null;
  if (other === null) return;
  throw new UsageError(`--existing and ${other} cannot be combined`, 'leave out one of them');
}

/**
 * If a free worktree already has the branch checked out, offers it to the user. That worktree is used only if the user
 * agrees.
 */
async function useFreeWorktree(context: CliContext, body: LaunchBody, error: unknown): Promise<Session> {
  if (!(error instanceof CatalogueError) || error.code !== 'branch_in_use') throw error;
  const { free, branch, worktree } = error.extra;
  if (free !== true || typeof branch !== 'string' || !isInteractive(context.io)) throw error;
  const place = pathText(String(worktree), context.io.env.HOME);
  if (!(await confirm(context, `${cleanLine(branch)} is checked out in ${place}, which no session uses. Use it?`)))
    throw error;
  const asked = { ...body.worktree, branch, existing: true };
  return (await context.client()).call('createSession', { body: { ...body, worktree: asked } });
}

/** Reports whether a word is the path of a directory rather than a name. */
function isPath(word: string): boolean {
  return /^\.{0,2}(\/|$)/.test(word) && word !== '';
}

function nameOf(path: string): string {
  const [base = ''] =
    basename(path)
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .match(/[A-Za-z0-9][A-Za-z0-9_-]{0,59}/) ?? [];
  return base.replace(/-+$/, '') || 'session';
}

/**
 * Returns a name for a new session in a directory: the directory's name, with a number appended if another session
 * already has that name.
 */
async function nameFor({ client, io }: CliContext, path: string): Promise<string> {
  const name = nameOf(resolve(io.cwd, path));
  const taken = new Set((await (await client()).call('listSessions')).map(({ slug }) => slug));
  const isFree = (slug: string): boolean => isSlug(slug) && !taken.has(slug);
  let free = name;
  for (let number = 2; !isFree(free); number++) free = `${name}-${number}`;
  return free;
}
