import type { Command } from 'commander';
import type { CliContext } from './context.ts';

/** Adds the commands of one module to the program. */
export type AddCommands = (program: Command, context: CliContext) => void;

interface CommandModule {
  /** the names of all commands that the module adds, including aliases and hidden commands */
  names: readonly string[];
  load(): Promise<AddCommands>;
}

/** All command modules, in the order of the main help. Each run loads only the module that contains its command. */
export const COMMAND_MODULES: readonly CommandModule[] = [
  { names: ['new'], load: async () => (await import('./commands/launching.ts')).addLaunching },
  {
    names: ['adopt', 'convert', 'restart', 'stop', 'kill', 'rm', 'rename', 'delete'],
    load: async () => (await import('./commands/lifecycle.ts')).addLifecycle,
  },
  { names: ['park', 'wake'], load: async () => (await import('./commands/parking.ts')).addParking },
  { names: ['fork'], load: async () => (await import('./commands/forking.ts')).addForking },
  { names: ['worktrees'], load: async () => (await import('./commands/worktrees.ts')).addWorktrees },
  { names: ['restore'], load: async () => (await import('./commands/restoring.ts')).addRestoring },
  {
    names: ['finish', 'recover'],
    load: async () => (await import('./commands/finishing.ts')).addFinishing,
  },
  { names: ['ls', 'list'], load: async () => (await import('./commands/listing.ts')).addListing },
  { names: ['show', 'status'], load: async () => (await import('./commands/showing.ts')).addShowing },
  { names: ['diff'], load: async () => (await import('./commands/diffing.ts')).addDiffing },
  { names: ['compare'], load: async () => (await import('./commands/comparing.ts')).addComparing },
  { names: ['review'], load: async () => (await import('./commands/reviewing.ts')).addReviewing },
  { names: ['turns', 'rewind'], load: async () => (await import('./commands/turning.ts')).addTurning },
  { names: ['tree'], load: async () => (await import('./commands/past-files.ts')).addPastFiles },
  {
    names: ['seen', 'unseen', 'snooze', 'unsnooze'],
    load: async () => (await import('./commands/attending.ts')).addAttending,
  },
  {
    names: ['tag', 'untag', 'archive', 'unarchive'],
    load: async () => (await import('./commands/labelling.ts')).addLabelling,
  },
  { names: ['views'], load: async () => (await import('./commands/viewing.ts')).addViewing },
  { names: ['watch', 'wait'], load: async () => (await import('./commands/watching.ts')).addWatching },
  {
    names: ['send', 'answer', 'continue', 'interrupt'],
    load: async () => (await import('./commands/talking.ts')).addTalking,
  },
  { names: ['invoke', 'events', 'costs'], load: async () => (await import('./commands/conversing.ts')).addConversing },
  { names: ['files'], load: async () => (await import('./commands/filing.ts')).addFiling },
  { names: ['queue'], load: async () => (await import('./commands/queueing.ts')).addQueueing },
  { names: ['draft', 'stash'], load: async () => (await import('./commands/drafting.ts')).addDrafting },
  { names: ['rules'], load: async () => (await import('./commands/ruling.ts')).addRuling },
  { names: ['memory'], load: async () => (await import('./commands/remembering.ts')).addRemembering },
  { names: ['audit'], load: async () => (await import('./commands/auditing.ts')).addAuditing },
  { names: ['budget'], load: async () => (await import('./commands/budgeting.ts')).addBudgeting },
  { names: ['schedule'], load: async () => (await import('./commands/scheduling.ts')).addScheduling },
  { names: ['notify'], load: async () => (await import('./commands/notifying.ts')).addNotifying },
  { names: ['attach', 'buffer', 'logs'], load: async () => (await import('./commands/terminal.ts')).addTerminal },
  {
    names: ['timeline', 'explain', 'record-misdetection'],
    load: async () => (await import('./commands/explaining.ts')).addExplaining,
  },
  { names: ['export', 'replay'], load: async () => (await import('./commands/recordings.ts')).addRecordings },
  { names: ['history'], load: async () => (await import('./commands/history.ts')).addHistory },
  { names: ['catchup'], load: async () => (await import('./commands/catching-up.ts')).addCatchingUp },
  { names: ['search'], load: async () => (await import('./commands/searching.ts')).addSearching },
  { names: ['start', 'serve', 'up', 'down'], load: async () => (await import('./commands/serving.ts')).addServing },
  { names: ['open'], load: async () => (await import('./commands/web-page.ts')).addWebPage },
  {
    names: ['doctor', 'config', 'token', 'demo', 'service'],
    load: async () => (await import('./commands/machine.ts')).addMachine,
  },
  { names: ['fleet'], load: async () => (await import('./commands/machines.ts')).addMachines },
  { names: ['completion', 'complete'], load: async () => (await import('./commands/completion.ts')).addCompletion },
];

const isVersion = (words: readonly string[]): boolean =>
  words.length === 1 && (words[0] === '--version' || words[0] === '-V');

/**
 * Returns the functions that add the commands these words may refer to. If the first word names a command, only its
 * module is loaded. Otherwise all modules are loaded, for the main help and for suggestions.
 * @param completed the words of the line that `cbos complete` is completing; after the command has been typed, only
 * that command's module is needed
 */
export async function loadCommands(words: readonly string[], completed: readonly string[]): Promise<AddCommands[]> {
  if (isVersion(words)) return [];
  const meant = words[0] !== 'complete' ? words[0] : completed.length > 1 ? completed[0] : undefined;
  const own = moduleOf(meant);
  const wanted = words[0] === 'complete' ? [own, moduleOf('complete')] : [own];
  const modules = own === undefined ? COMMAND_MODULES : COMMAND_MODULES.filter((one) => wanted.includes(one));
  return Promise.all(modules.map(({ load }) => load()));
}

function moduleOf(word: string | undefined): CommandModule | undefined {
  return COMMAND_MODULES.find(({ names }) => names.some((name) => name === word));
}
