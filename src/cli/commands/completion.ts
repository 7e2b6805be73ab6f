import type { Command, Option as CommanderOption } from 'commander';
import { type Caller, createCaller } from '../../client/index.ts';
import { type FleetMachine, folderName, MACHINE_NAME_PATTERN, STATE_SELECTOR_WORDS } from '../../protocol/index.ts';
import { sessionGist, stateText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { answersTo, asks } from '../completion-answers.ts';
import { readIds, type Suggestion } from '../completion-ids.ts';
import { BASH_SCRIPT } from '../completion-script.ts';
import type { CliContext } from '../context.ts';
import type { ShortMachineSessions } from '../output/fleet-table.ts';
import { SHORT_FIELDS, type ShortSession } from '../output/session-table.ts';
import { socketRequests } from '../socket-requests.ts';
import { describe } from './command-help.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** How long to wait for the server. After that, the user would have typed the name faster. */
const LONGEST_WAIT_MS = 250;

/** Commands that fall back to file names when there is nothing else to suggest. */
const TAKES_FILES: ReadonlySet<string | undefined> = new Set([
  'new',
  'adopt',
  'send',
  'review',
  'export',
  'replay',
  'timeline',
]);
/** The last line of output if the shell may suggest files. The package always prints `:4`, which forbids that. */
const COMPLETE_FILES = ':0';
const NOTHING_ELSE = ':4';

const ANY_HOST: Suggestion = ['any', 'the least busy one'];

/** The values that the running server provides for completion. */
interface Suggestions {
  sessions: readonly Suggestion[];
  /** the ids of unsent drafts and held messages */
  ids: readonly Suggestion[];
  /** the possible answers to the open question of the session given to `answer` */
  choices: readonly Suggestion[];
  /** the fields of that form, with their possible values; the package cannot complete a word that contains = */
  fields: readonly Suggestion[];
  /** the sessions' tags and repositories, and the branches of free worktrees */
  tags: readonly Suggestion[];
  repositories: readonly Suggestion[];
  branches: readonly Suggestion[];
  /** the machines in the fleet, and their labels */
  hosts: readonly Suggestion[];
  labels: readonly Suggestion[];
}

/** Adds `completion` and the hidden `complete`, which the shell scripts call each time the user presses Tab. */
export function addCompletion(program: Command, context: CliContext): void {
  const { out } = context;

  const completion = describe(program.command('completion'), {
    group: 'server',
    summary: 'print the completion script for a shell',
    more: 'It completes commands, options, states, and the names of your sessions.',
    examples: [
      ["echo 'source <(cbos completion bash)' >> ~/.bashrc", 'for bash'],
      ["echo 'source <(cbos completion zsh)' >> ~/.zshrc", 'for zsh'],
      ['cbos completion fish > ~/.config/fish/completions/cbos.fish', 'for fish'],
    ],
  });
  completion
    .addArgument(completion.createArgument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: string) => {
      if (shell === 'bash') {
        out.line(BASH_SCRIPT);
        return;
      }
      const { script } = await import('@bomb.sh/tab');
      out.lines(captureLog(() => script(shell, 'cbos', 'cbos')));
    });

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async () => {
      const suggestions = await readSuggestions(context);
      const [word = '', option] = context.passedArgs.toReversed();
      if (option === '--set') {
        const fitting = suggestions.fields.filter((one) => isPlain(one) && one[0].startsWith(word));
        out.lines([...fitting.map((one) => one.join('\t')), NOTHING_ELSE]);
        return;
      }
      const { RootCommand } = await import('@bomb.sh/tab');
      const root = new RootCommand();
      describeTo(root, program, suggestions);
      const lines = captureLog(() => root.parse([...context.passedArgs]));
      const isNothing = lines.length === 1;
      out.lines(isNothing && TAKES_FILES.has(context.passedArgs[0]) ? [COMPLETE_FILES] : lines);
    });
}

/** The part of the completion tree that this module fills in. Both `RootCommand` and its commands have it. */
interface CompletionNode {
  option(name: string, about: string, handler?: (complete: Complete) => void, alias?: string): unknown;
  option(name: string, about: string, alias?: string): unknown;
  argument(name: string, handler: (complete: Complete) => void, isVariadic?: boolean): unknown;
}
type Complete = (value: string, about: string) => void;

interface CompletionTree extends CompletionNode {
  command(name: string, about: string): CompletionNode;
}

/** Copies commander's commands, including their options and arguments, into the completion tree. */
function describeTo(tree: CompletionTree, program: Command, suggestions: Suggestions): void {
  const visit = (command: Command, path: string): void => {
    for (const child of command.createHelp().visibleCommands(command)) {
      const name = path === '' ? child.name() : `${path} ${child.name()}`;
      const node = tree.command(name, child.summary() || child.description());
      for (const option of child.createHelp().visibleOptions(child)) addOption(node, option, suggestions);
      for (const argument of child.registeredArguments) {
        const values = argumentValues(argument.name(), argument.argChoices, suggestions);
        node.argument(argument.name(), offering(values), argument.variadic);
      }
      visit(child, name);
    }
  };
  for (const option of program.createHelp().visibleOptions(program)) addOption(tree, option, suggestions);
  visit(program, '');
}

function addOption(
  node: CompletionNode,
  option: CommanderOption,
  { sessions, ids, tags, repositories, branches, hosts, labels }: Suggestions,
): void {
  const name = option.long?.slice(2);
  if (name === undefined) return;
  const alias = option.short?.slice(1);
  const takesValue = option.required || option.optional;
  if (!takesValue) {
    node.option(name, option.description, alias);
    return;
  }
  const words = name === 'state' || name === 'for' ? STATE_SELECTOR_WORDS : (option.argChoices ?? []);
  const known: Readonly<Record<string, readonly Suggestion[]>> = {
    ...{ session: sessions, tag: tags, repo: repositories },
    rm: ids,
    worktree: branches,
    host: hosts,
    label: labels,
  };
  const values = known[name] ?? words.map((word): Suggestion => [word, '']);
  node.option(name, option.description, offering(values), alias);
}

function offering(suggestions: readonly Suggestion[]): (complete: Complete) => void {
  return (complete) => {
    for (const [value, about] of suggestions.filter(isPlain)) complete(value, about);
  };
}

/**
 * Reports whether a shell takes the value as it is. The names of branches and of a form's fields come from others, and
 * a shell inserts a suggestion without quoting it.
 */
const isPlain = ([value]: Suggestion): boolean => /^[\p{L}\p{M}\p{N}_./][\p{L}\p{M}\p{N}_.,:@%+=/#-]*$/u.test(value);

/** Returns the possible values of an argument, by the argument's name in the command's declaration. */
function argumentValues(
  name: string,
  choices: readonly string[] | undefined,
  { sessions, ids, choices: answers, tags }: Suggestions,
): readonly Suggestion[] {
  if (choices !== undefined) return choices.map((choice) => [choice, '']);
  if (name === 'id' || name === 'schedule' || name === 'view' || name === 'sink' || name === 'budget') return ids;
  if (name === 'choice') return answers;
  if (name === 'tag') return tags;
  return name === 'name' || name === 'old' || name === 'recording' ? sessions : [];
}

/**
 * Returns nothing if no server is running. It never prints a message, which would appear in the middle of the user's
 * command line.
 */
async function readSuggestions(context: CliContext): Promise<Suggestions> {
  let timer: NodeJS.Timeout | undefined;
  const nothing: Suggestions = {
    ...{ sessions: [], ids: [], choices: [], fields: [], tags: [] },
    ...{ repositories: [], branches: [], hosts: [], labels: [] },
  };
  try {
    const { settings } = await context.settings();
    const client = createCaller({ transport: socketRequests(settings.socket) });
    const enough = new Promise<Suggestions>((resolve) => {
      timer = setTimeout(() => resolve(nothing), LONGEST_WAIT_MS);
    });
    const [command, ...words] = context.passedArgs;
    const known = Promise.all([
      client.call('listSessions', { query: command === 'unarchive' ? { archived: 'true' } : {} }),
      readIds(client, command, words),
      readFreeBranches(client, context.passedArgs, context.io.cwd),
      readFarSessions(client, context.passedArgs),
      readMachines(client, context.passedArgs),
    ]);
    const suggested = known.then(([sessions, ids, branches, far, machines]) => ({
      hosts: machines.length === 0 ? [] : [...named(machines.map(({ name }) => name)), ANY_HOST],
      labels: named(machines.flatMap(({ labels }) => labels ?? [])),
      branches,
      sessions: [...(command === 'answer' ? sessions.filter(asks) : sessions).map(suggestion), ...far],
      ids,
      tags: named(sessions.flatMap(({ tags }) => tags ?? [])),
      repositories: named(sessions.flatMap(({ repository }) => (repository == null ? [] : folderName(repository)))),
      ...answersTo(command === 'answer' ? sessions.find(({ slug }) => words.includes(slug)) : undefined),
    }));
    return await Promise.race([suggested, enough]);
  } catch {
    return nothing;
  } finally {
    clearTimeout(timer);
  }
}

function named(words: readonly string[]): Suggestion[] {
  return [...new Set(words)].sort().map((word) => [cleanLine(word), '']);
}

function suggestion(session: ShortSession): Suggestion {
  return [session.slug, cleanLine(`${stateText(session)} ${sessionGist(session)}`)];
}

/** Returns the branches of the current repository's free worktrees, for the option that accepts such a branch. */
async function readFreeBranches(client: Caller, words: readonly string[], path: string): Promise<Suggestion[]> {
  if (words[0] !== 'new' || !words.some((word) => /^(-w$|--worktree)/.test(word))) return [];
  const [list] = await client.call('listWorktrees', { query: { path } }).catch(() => []);
  const free = (list?.worktrees ?? []).filter((one) => one.free);
  return free.map(({ branch, path: folder }) => [cleanLine(branch ?? ''), `free: ${cleanLine(folder)}`]);
}

/** Returns the machines in the fleet, for the options that accept a machine. */
async function readMachines(client: Caller, words: readonly string[]): Promise<FleetMachine[]> {
  if (words[0] !== 'new' || !words.some((word) => /^--(host|label)/.test(word))) return [];
  const { machines } = await client.call('fleet').catch(() => ({ machines: [] }));
  return machines;
}

/** Returns the sessions on other machines, if the word being typed begins with the name of a machine. */
async function readFarSessions(client: Caller, words: readonly string[]): Promise<Suggestion[]> {
  const [machine, slug] = words.at(-1)?.split('/') ?? [];
  if (slug === undefined || !MACHINE_NAME_PATTERN.test(machine ?? '')) return [];
  const fields = SHORT_FIELDS.join(',');
  const machines: ShortMachineSessions[] = await client.call('fleetSessions', { query: { fields } }).catch(() => []);
  return machines
    .filter((one) => !one.is_self && one.reachable)
    .flatMap(({ machine: name, sessions }) =>
      sessions.map((session) => suggestion({ ...session, slug: `${name}/${session.slug}` })),
    );
}

/**
 * Captures console.log, because the package (0.0.22) has no other way to return its output. Since `print` is
 * synchronous, no other output is captured by accident.
 */
function captureLog(print: () => void): string[] {
  const lines: string[] = [];
  const log = console.log;
  console.log = (...parts: unknown[]) => void lines.push(parts.join(' '));
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines;
}
