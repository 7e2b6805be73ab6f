import { resolve } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import type { RouteInput } from '../../protocol/index.ts';
import { CatalogueError, EXIT, PermissionMode, SessionType } from '../../protocol/index.ts';
import { pathText, stateText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCodeOf, reportError } from '../error-report.ts';
import { describe } from './command-help.ts';
import { collectVariable, readDollars, readWhole } from './option-values.ts';

interface NewOptions {
  type?: SessionType;
  prompt?: string;
  permissionMode?: PermissionMode;
  model?: string;
  cols?: number;
  rows?: number;
  maxBudgetUsd?: number;
  env?: Record<string, string>;
  json?: boolean;
}

interface AdoptOptions {
  resume?: string;
  type?: SessionType;
  path?: string;
  json?: boolean;
}

/** `new`, `adopt`, `restart`, `kill`, `rm` and `rename`. */
export function addLifecycle(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('new'), {
    group: 'sessions',
    summary: 'launch Claude Code in a directory',
    more: 'Everything after -- is handed to claude.',
    examples: [
      ['cbos new AUTH', 'in the current directory'],
      ["cbos new AUTH ~/src/auth --prompt 'fix the login test'", 'with a first prompt'],
      ['cbos new PLAN . --permission-mode plan --cols 160 --rows 45', 'plan mode, a larger window'],
      ['cbos new CI . --type json --max-budget-usd 5', 'without a terminal, for scripts and the browser'],
      ['cbos new API ~/src/api --env DEBUG=1 -- --add-dir ../shared', 'a variable, and arguments for claude'],
    ],
  })
    .usage('[options] <slug> [path] [-- CLAUDE_ARGS…]')
    .argument('<slug>', 'its name: letters, digits, - and _')
    .argument('[path]', 'the directory it works in; the current one when left out')
    .addOption(
      new Option('--type <type>', 'a terminal in GNU Screen, or structured events').choices(SessionType.options),
    )
    .option('--prompt <text>', 'the first prompt')
    .addOption(new Option('--permission-mode <mode>', "Claude Code's permission mode").choices(PermissionMode.options))
    .option('--model <model>', 'the model, as claude --model takes it')
    .option('--cols <n>', 'width of its terminal', readWhole(20, 500))
    .option('--rows <n>', 'height of its terminal', readWhole(5, 200))
    .option('--max-budget-usd <amount>', 'what a JSON session may cost at most', readDollars)
    .option('--env <K=V>', 'a variable for its environment; may be given several times', collectVariable)
    .option('--json', 'the REST body')
    .action(async (slug: string, path: string | undefined, options: NewOptions) => {
      const client = await context.client();
      const { settings } = await context.settings();
      const session = await client.call('createSession', {
        body: newSessionBody({ context, slug, path, options, defaultType: settings.default_type ?? 'screen' }),
      });
      if (options.json === true) return out.json(session);
      const where = pathText(session.path, context.io.env.HOME);
      out.line(`${cleanLine(session.slug)} started in ${where}`);
      if (session.type === 'json') out.line(`  cbos invoke ${session.slug} PROMPT   # run a turn`);
      else out.line(`  cbos attach ${session.slug}   # its terminal; leave it with Ctrl-A d`);
      out.line(`  cbos show ${session.slug}     # what it does and asks`);
    });

  describe(program.command('adopt'), {
    group: 'sessions',
    summary: 'take over a Screen session, or a conversation, that something else started',
    more: 'From then on it is recorded, and CBOS may type into it. `cbos ls` shows the ids of sessions that are only observed, `cbos ls --all` those of conversations.',
    examples: [
      ['cbos adopt 4242.work', 'under its own name'],
      ['cbos adopt 4242.work AUTH --path ~/src/auth', 'under another, in a directory'],
      ['cbos adopt --resume 0b5c1d9e-3f44-4c57-9a7e-2f4d8a0c6b11 AUTH', 'go on with a conversation of Claude Code'],
    ],
  })
    .usage('[options] <screen-id> [slug]\n       cbos adopt [options] --resume <id> [slug]')
    .argument('[screen-id]', 'PID.NAME, as `screen -ls` prints it')
    .argument('[slug]', 'its name in CBOS')
    .option('--resume <id>', 'a conversation of Claude Code instead, as `cbos ls --all` prints it')
    .addOption(new Option('--type <type>', 'with --resume: what it becomes').choices(SessionType.options))
    .option('--path <path>', 'the directory it works in')
    .option('--json', 'the REST body')
    .action(async (first: string | undefined, second: string | undefined, options: AdoptOptions) => {
      const { resume } = options;
      // With --resume there is no screen id: the only word is the name.
      const [screenId, slug] = resume === undefined ? [first, second] : [undefined, first];
      if (resume === undefined && screenId === undefined) {
        throw new CommandError('Either a screen id or --resume is needed', 'cbos adopt --help', EXIT.usage);
      }
      const client = await context.client();
      const { settings } = await context.settings();
      const session = await client.call('adoptSession', {
        body: {
          ...(screenId === undefined ? {} : { screen_id: screenId }),
          ...(resume === undefined ? {} : { resume, type: options.type ?? settings.default_type ?? 'screen' }),
          ...(slug === undefined ? {} : { slug }),
          ...(options.path === undefined ? {} : { path: resolve(context.io.cwd, options.path) }),
        },
      });
      if (options.json === true) return out.json(session);
      const what = session.type === 'json' ? 'it goes on at the next prompt' : 'its recording has begun';
      out.line(`${cleanLine(session.slug)} is adopted (${stateText(session)}); ${what}`);
    });

  describe(program.command('convert'), {
    group: 'sessions',
    summary: 'give a JSON session a terminal, or take it away, on the same conversation',
    examples: [
      ['cbos convert CI screen', 'from now on in GNU Screen: cbos attach CI'],
      ['cbos convert AUTH json', 'from now on structured events, and no process while it waits'],
    ],
  })
    .argument('<slug>', 'the session')
    .addArgument(new Argument('<type>', 'what it becomes').choices(SessionType.options))
    .option('--json', 'the REST body')
    .action(async (slug: string, type: SessionType, options: { json?: boolean }) => {
      const client = await context.client();
      const session = await client.call('convertSession', { params: { slug }, body: { type } });
      if (options.json === true) return out.json(session);
      out.line(`${cleanLine(session.slug)} ${type === 'json' ? 'is a JSON session' : 'runs in a terminal'} now`);
    });

  describe(program.command('restart'), {
    group: 'sessions',
    summary: 'launch dead sessions again on their conversation',
    examples: [
      ['cbos restart AUTH', 'one'],
      ['cbos restart --all', 'all that have ended, after a reboot for example'],
    ],
  })
    .argument('[slug...]', 'the sessions')
    .option('--all', 'every dead session')
    .option('--json', 'the REST bodies, a line each')
    .action(async (slugs: string[], options: { all?: boolean; json?: boolean }) => {
      if ((slugs.length === 0) === (options.all !== true)) {
        throw new CommandError('Either name sessions or give --all', 'cbos restart --help', EXIT.usage);
      }
      const client = await context.client();
      const dead =
        options.all === true
          ? (await client.call('listSessions', { query: { state: 'dead' } })).map((session) => session.slug)
          : slugs;
      if (dead.length === 0) out.notice('no session is dead, so there is nothing to restart');
      await forEach(context, dead, async (slug) => {
        const session = await client.call('restartSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${cleanLine(session.slug)} runs again on its conversation`);
      });
    });

  describe(program.command('kill'), {
    group: 'sessions',
    summary: 'end sessions with all their processes, and keep them listed',
    examples: [
      ['cbos kill AUTH', 'it can be brought back by `cbos restart AUTH`'],
      ['cbos kill AUTH --rm', 'end it and take it off the list'],
    ],
  })
    .argument('<slug...>', 'the sessions')
    .option('--rm', 'take them off the list as well')
    .option('--json', 'the REST bodies, a line each')
    .action(async (slugs: string[], options: { rm?: boolean; json?: boolean }) => {
      const client = await context.client();
      await forEach(context, slugs, async (slug) => {
        if (options.rm === true) {
          const body = await client.call('deleteSession', { params: { slug } });
          if (options.json === true) out.jsonLine(body);
          else out.line(`${slug} ended and was deleted`);
          return;
        }
        const session = await client.call('killSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${slug} ended and stays listed; cbos restart ${slug} brings it back on its conversation`);
      });
    });

  describe(program.command('rm'), {
    group: 'sessions',
    summary: 'delete sessions: end them where they live, and take them off the list',
    more: 'It cannot be undone, so it asks first. Where nobody can be asked, as in a script, it needs --yes.',
    examples: [
      ['cbos rm AUTH', 'asks, then deletes'],
      ['cbos rm AUTH DOCS --yes', 'asks nothing'],
    ],
  })
    .argument('<slug...>', 'the sessions')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'the REST bodies, a line each')
    .action(async (slugs: string[], options: { yes?: boolean; json?: boolean }) => {
      const client = await context.client();
      await forEach(context, slugs, async (slug) => {
        if (options.yes !== true) {
          const session = await client.call('getSession', { params: { slug } });
          const alive = session.status.primary === 'dead' ? '' : ` It is ${stateText(session)} and would be ended.`;
          if (!(await confirm(context, `Delete ${slug}?${alive} This cannot be undone.`))) {
            out.notice(`${slug} was left as it is`);
            context.exitCode = EXIT.failed;
            return;
          }
        }
        const body = await client.call('deleteSession', { params: { slug } });
        if (options.json === true) out.jsonLine(body);
        else out.line(`${slug} was deleted`);
      });
    });

  describe(program.command('rename'), {
    group: 'sessions',
    summary: 'give a session another name',
    more: 'Its recording is renamed with it.',
    examples: [['cbos rename AUTH LOGIN', 'AUTH is LOGIN from now on']],
  })
    .argument('<old>', 'the session')
    .argument('<new>', 'its new name')
    .option('--json', 'the REST body')
    .action(async (slug: string, name: string, options: { json?: boolean }) => {
      const client = await context.client();
      const session = await client.call('patchSession', { params: { slug }, body: { slug: name } });
      if (options.json === true) out.json(session);
      else out.line(`${slug} is ${cleanLine(session.slug)} now`);
    });
}

function newSessionBody(request: {
  context: CliContext;
  slug: string;
  path: string | undefined;
  options: NewOptions;
  defaultType: SessionType;
}): RouteInput<'createSession'>['body'] {
  const { context, slug, path, options, defaultType } = request;
  return {
    slug,
    path: resolve(context.io.cwd, path ?? '.'),
    type: options.type ?? defaultType,
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    ...(options.permissionMode === undefined ? {} : { permission_mode: options.permissionMode }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.cols === undefined ? {} : { cols: options.cols }),
    ...(options.rows === undefined ? {} : { rows: options.rows }),
    ...(options.maxBudgetUsd === undefined ? {} : { max_budget_usd: options.maxBudgetUsd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(context.passedArgs.length === 0 ? {} : { args: [...context.passedArgs] }),
  };
}

/** Does it for each, also when one fails; the first failure is the exit code. */
async function forEach(
  context: CliContext,
  slugs: readonly string[],
  act: (slug: string) => Promise<void>,
): Promise<void> {
  for (const slug of slugs) {
    try {
      await act(slug);
    } catch (error) {
      const isAlone = slugs.length === 1;
      if (isAlone || !(error instanceof CatalogueError) || error.code === 'no_server') throw error;
      reportError(context.out, error, slug);
      if (context.exitCode === EXIT.done) context.exitCode = exitCodeOf(error);
    }
  }
}
