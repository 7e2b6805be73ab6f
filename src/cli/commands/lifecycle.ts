import { resolve } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { SESSION_TYPES, type Session, type SessionType } from '../../protocol/index.ts';
import { stateText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { forEach } from '../for-each.ts';
import { requireStarted } from '../require-started.ts';
import { chosenSessions, mayActOnSeveral, type SelectorOptions } from '../selectors.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe } from './command-help.ts';
import { addSelectors } from './selector-options.ts';

interface AdoptOptions {
  resume?: string;
  type?: SessionType;
  path?: string;
  json?: boolean;
}

/** What a restart did with the conversation, as the server reports it. */
const BEGINS = {
  continued: 'resuming its conversation',
  copied: 'it begins with a copy of the conversation from which it was forked',
  new: 'it begins a new conversation',
  empty: 'its conversation is new, because nothing was asked since it began',
} as const;

interface RestartOptions {
  all?: boolean;
  newConversation?: boolean;
  sameFolder?: boolean;
  startFolder?: boolean;
  json?: boolean;
}

/** Adds `adopt`, `convert`, `restart`, `stop`, `rm`, and `rename`. */
export function addLifecycle(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('adopt'), {
    group: 'sessions',
    summary: 'take over a Screen session or a conversation that another program started',
    more: 'From then on, CBOS records the session and may type into it. `cbos ls` shows the ids of sessions that CBOS only observes; `cbos ls --all` shows the ids of conversations.',
    examples: [
      ['cbos adopt 4242.work', 'take over a session, and keep the name that it has in Screen'],
      ['cbos adopt 4242.work AUTH --path ~/src/auth', 'give the session another name, and set its directory'],
      ['cbos adopt --resume 0b5c1d9e-3f44-4c57-9a7e-2f4d8a0c6b11 AUTH', 'continue a conversation of Claude Code'],
    ],
  })
    .usage('[options] <screen-id> [new-name]\n       cbos adopt [options] --resume <id> [new-name]')
    .argument('[screen-id]', 'PID.NAME, as `screen -ls` prints it')
    .argument('[new-name]', 'its name in CBOS')
    .option('--resume <id>', 'take over this conversation of Claude Code instead; `cbos ls --all` lists the ids')
    .addOption(new Option('--type <type>', 'with --resume: the type of the session').choices(SESSION_TYPES))
    .option('--path <path>', 'the directory that the session works in')
    .option('--json', 'print the API response as JSON')
    .action(async (first: string | undefined, second: string | undefined, options: AdoptOptions) => {
      const { resume } = options;
      // With --resume, there is no screen id, so the only argument is the name.
      const [screenId, slug] = resume === undefined ? [first, second] : [undefined, first];
      if (resume === undefined && screenId === undefined) {
        throw new UsageError('Name a screen id, or use --resume', 'cbos adopt --help');
      }
      const client = await context.client();
      const { settings } = await context.settings();
      const session = await client.call('adoptSession', {
        body: {
          ...withoutUndefined({ screen_id: screenId, slug }),
          ...(resume === undefined ? {} : { resume, type: options.type ?? settings.default_type ?? 'screen' }),
          ...(options.path === undefined ? {} : { path: resolve(context.io.cwd, options.path) }),
        },
      });
      if (options.json === true) return out.json(session);
      const what = session.type === 'json' ? 'it continues with the next prompt' : 'CBOS records it now';
      out.line(`${cleanLine(session.slug)} is adopted (${stateText(session)}); ${what}`);
    });

  describe(program.command('convert'), {
    group: 'sessions',
    summary: 'convert a session to a terminal or JSON session, and keep its conversation',
    examples: [
      ['cbos convert CI screen', 'CI runs in GNU Screen from now on: cbos attach CI'],
      ['cbos convert AUTH json', 'from now on, AUTH uses structured events, and has no process while it waits'],
    ],
  })
    .argument('<name>', 'the session')
    .addArgument(new Argument('<type>', 'the new type').choices(SESSION_TYPES))
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, type: SessionType, options: { json?: boolean }) => {
      const client = await context.client();
      const session = await client.call('convertSession', { params: { slug }, body: { type } });
      if (options.json === true) return out.json(session);
      out.line(`${cleanLine(session.slug)} ${type === 'json' ? 'is a JSON session' : 'runs in a terminal'} now`);
    });

  describe(program.command('restart'), {
    group: 'sessions',
    summary: 'restart stopped sessions and continue their conversations',
    examples: [
      ['cbos restart AUTH', 'restart AUTH'],
      ['cbos restart build1/AUTH', 'the same on another machine in the fleet'],
      [
        'cbos restart AUTH --new-conversation',
        'begin a new, empty conversation; Claude Code keeps the old one if it still has it',
      ],
      ['cbos restart --all', 'restart all stopped sessions; `cbos restore` brings back only those that nobody ended'],
    ],
  })
    .argument('[name...]', 'the sessions')
    .option('-a, --all', 'restart every stopped session')
    .option('--new-conversation', 'begin a new conversation instead of continuing the old one')
    .option('--same-folder', 'restart it although another session works in its worktree')
    .option('--start-folder', 'restart it in its own folder if the worktree in which it last worked no longer exists')
    .option('--json', 'print the API responses as JSON, one per line')
    .action(async (slugs: string[], options: RestartOptions) => {
      if ((slugs.length === 0) === (options.all !== true)) {
        throw new UsageError('Name sessions, or use --all', 'cbos restart --help');
      }
      const client = await context.client();
      const stopped =
        options.all === true
          ? (await client.call('listSessions', { query: { state: 'dead' } })).map((session) => session.slug)
          : slugs;
      if (stopped.length === 0) out.notice('nothing to restart: no session is stopped');
      const restarted: string[] = [];
      await forEach(context, stopped, async (slug) => {
        const isNew = options.newConversation === true;
        const session = await client.call('restartSession', {
          params: { slug },
          query: {
            ...(isNew ? { new_conversation: 'true' as const } : {}),
            ...(options.sameFolder === true ? { same_folder: 'true' as const } : {}),
            ...(options.startFolder === true ? { start_folder: 'true' as const } : {}),
          },
        });
        if (options.json === true) out.jsonLine(session);
        else {
          const how = session.conversation ?? (isNew ? 'new' : 'continued');
          const begins = BEGINS[session.conversation_empty === true ? 'empty' : how];
          out.line(`${cleanLine(session.slug)} restarted; ${begins}`);
        }
        restarted.push(session.slug);
      });
      await forEach(context, restarted, (slug) => requireStarted(context, slug));
    });

  addStopping(program.command('stop'), context);
  // The command's former name, which scripts still use.
  addStopping(program.command('kill', { hidden: true }), context);

  describe(program.command('rm'), {
    group: 'sessions',
    summary: 'delete sessions; running ones are stopped first',
    more: 'This cannot be undone, so the command asks first. In a script, where nobody can answer, it needs --yes.',
    examples: [
      ['cbos rm AUTH', 'delete AUTH after you confirm'],
      ['cbos rm AUTH DOCS --yes', 'delete both without asking'],
    ],
  })
    .alias('delete')
    .argument('<name...>', 'the sessions')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the API responses as JSON, one per line')
    .action(async (slugs: string[], options: { yes?: boolean; json?: boolean }) => {
      const client = await context.client();
      await forEach(context, slugs, async (slug) => {
        if (options.yes !== true) {
          const session = await client.call('getSession', { params: { slug } });
          const alive =
            session.status.primary === 'dead' ? '' : ` It is running (${stateText(session)}) and would be stopped.`;
          const question = `Delete ${slug}?${alive} This cannot be undone.`;
          if (!(await isConfirmed(context, question, `${slug} not deleted`))) return;
        }
        const body = await client.call('deleteSession', { params: { slug } });
        if (options.json === true) out.jsonLine(body);
        else out.line(`${slug} deleted`);
      });
    });

  describe(program.command('rename'), {
    group: 'sessions',
    summary: 'rename a session',
    more: 'Its recording is renamed as well.',
    examples: [['cbos rename AUTH LOGIN', 'give AUTH the name LOGIN']],
  })
    .argument('<old>', 'the session')
    .argument('<new>', 'its new name')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, name: string, options: { json?: boolean }) => {
      const client = await context.client();
      const session = await client.call('patchSession', { params: { slug }, body: { slug: name } });
      out.result(options.json, session, `${slug} is now ${cleanLine(session.slug)}`);
    });
}

/** Adds `stop`, which is also available under its former name. */
function addStopping(command: Command, context: CliContext): void {
  const { out } = context;
  describe(command, {
    group: 'sessions',
    summary: 'stop sessions and all their processes; they stay listed',
    examples: [
      ['cbos stop AUTH', '`cbos restart AUTH` continues its conversation'],
      ['cbos stop AUTH --rm', 'stop and delete AUTH'],
      ['cbos stop --tag night', 'stop the sessions with the tag, after you confirm'],
      ['cbos stop build1/AUTH', 'stop a session on another machine in the fleet'],
    ],
  }).argument('[name...]', 'the sessions');
  addSelectors(command, 'stop')
    .option('--rm', 'delete the sessions as well')
    .option('-y, --yes', 'with --state, --tag and --repo: do not ask for confirmation')
    .option('--json', 'print the API responses as JSON, one per line')
    .action(async (names: string[], options: SelectorOptions & { rm?: boolean; yes?: boolean; json?: boolean }) => {
      const fits = ({ adopted, status }: Session): boolean =>
        adopted && (options.rm === true || status.primary !== 'dead');
      const { slugs, selected } = await chosenSessions(context, { names, options, command: 'stop', fits });
      const verb = options.rm === true ? 'Stop and delete (this cannot be undone)' : 'Stop';
      if (!(await mayActOnSeveral(context, { slugs, selected, verb, yes: options.yes }))) return;
      const client = await context.client();
      await forEach(context, slugs, async (slug) => {
        if (options.rm === true) {
          const body = await client.call('deleteSession', { params: { slug } });
          if (options.json === true) out.jsonLine(body);
          else out.line(`${slug} stopped and deleted`);
          return;
        }
        const session = await client.call('killSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${slug} stopped; cbos restart ${slug} continues its conversation`);
      });
    });
}
