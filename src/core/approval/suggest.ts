import { mayMeanCommand, meansCommand, plainText } from './command-meaning.ts';
import { coversCommand, leadingAssignments, unwrap } from './command-pattern.ts';
import { neverMatches } from './never-matches.ts';
import { commandOf, fieldOf } from './places.ts';
import { baseOf, changesShell, runsOthers, scriptProgram } from './programs.ts';
import { readRule, SHELL_TOOL } from './read-rules.ts';
import type { ReadCommand, SimpleCommand } from './shell-command.ts';

/** A command that a session wanted to run, and how the user answered. */
export interface SaidToCommand {
  session: string;
  /** the session's folder, with symbolic links resolved */
  folder: string;
  /** the complete input of the call to the Bash tool */
  input: unknown;
  said: 'yes' | 'no';
}

/** A rule that users may want after they have said yes to the same command again and again. */
export interface SuggestedRule {
  folder: string;
  /** the rule as it would be written in an `[[allow]]` */
  command: string;
  /** `exact`: the command as it was requested; `arguments`: the same subcommand with any arguments */
  step: 'exact' | 'arguments';
  /** how often the user said yes to a command that contains this one */
  yes: number;
  sessions: readonly string[];
  /** the distinct commands that the user said yes to, most frequent first */
  commands: readonly string[];
}

/** How many times the user must say yes before CBOS suggests a rule. Fewer might be coincidence. */
const LEAST_YES = 3;
/** How many different sets of arguments the user must have allowed before CBOS suggests a rule for any arguments. */
const LEAST_DIFFERENT = 3;

/**
 * Programs whose arguments only name their input. The value lists the subcommands for which this is true, or is null if
 * it is true for the program itself.
 */
const READERS: ReadonlyMap<string, ReadonlySet<string> | null> = new Map([
  ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'stat', 'du', 'diff', 'cmp', 'nl', 'basename'].map(
    (name) => [name, null] as const,
  ),
  ['git', new Set(['status', 'diff', 'log', 'show', 'blame', 'ls-files', 'rev-parse', 'describe', 'shortlog'])],
]);

/** Programs that remove, overwrite, or end something, or that change permissions. CBOS suggests no rule for them. */
const REMOVERS =
  /^(?:rm|rmdir|unlink|shred|truncate|dd|mkfs.*|fdisk|parted|mv|tee|ln|install|chmod|chown|chgrp|kill|killall|pkill|shutdown|reboot|halt|mount|umount|systemctl|crontab|passwd|useradd|usermod)$/;
/** Programs that access the network or install packages from it. */
const NETWORK =
  /^(?:curl|wget|aria2c|scp|sftp|ftp|rsync|telnet|ping|dig|nslookup|gh|glab|hub|aws|gcloud|gsutil|az|doctl|heroku|fly|flyctl|vercel|netlify|terraform|tofu|pulumi|helm|ansible.*|apt|apt-get|dnf|yum|pacman|apk|brew|snap|pip[\d.]*|uv|poetry|conda|gem|bundle|composer|twine|xh|http|https|lynx|w3m|mail|sendmail|mutt|psql|mysql|mongo.*|redis-cli|sqlite3)$/;
/** Subcommands that destroy something or access the network, although their programs are otherwise harmless. */
const WIDE_WORDS: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:push|pull|fetch|clone|remote|submodule|clean|reset|rm|mv|checkout|switch|restore|branch|tag|stash|gc|prune|rebase|merge|cherry-pick|revert|am|apply|commit|filter-branch|filter-repo|reflog|update-ref|worktree|config|bisect|lfs|archive|send-email|svn|daemon|-.*)$/,
  ],
  ...['npm', 'pnpm', 'yarn'].map(
    (name) =>
      [
        name,
        /^(?:i|in|ins|install|add|ci|update|up|upgrade|publish|unpublish|exec|x|dlx|create|init|link|unlink|rm|remove|uninstall|login|logout|adduser|token|access|owner|deprecate|dist-tag|audit|config|set|cache|-.*)$/,
      ] as const,
  ),
  ['cargo', /^(?:run|r|install|publish|update|add|remove|login|yank|owner|clean|fetch|search|-.*|\+.*)$/],
  ['go', /^(?:run|get|install|generate|mod|clean|env|work|tool|-.*)$/],
  ['make', /^(?:-.*|clean|distclean|install|uninstall|deploy|publish|release|push)$/],
  ['find', /^-(?:exec|execdir|ok|okdir|delete|fls|fprint.*)$/],
]);

/**
 * Suggests rules based on the answers that the user gave by hand. A rule is never broader than the commands that the
 * user has seen, except that it may allow any arguments instead of one set of arguments. CBOS does not suggest a rule
 * that covers a command to which the user has ever said no in the same project.
 */
export function suggestRules(answers: readonly SaidToCommand[]): SuggestedRule[] {
  const folders = [...new Set(answers.map(({ folder }) => folder))];
  return folders
    .flatMap((folder) => suggestFor(answers.filter((one) => one.folder === folder)))
    .sort((one, other) => other.yes - one.yes || (one.command < other.command ? -1 : 1));
}

interface ReadAnswer {
  said: SaidToCommand;
  text: string;
  read: ReadCommand;
  /** the simple commands in the text, or an empty list if any part of the text is unclear */
  commands: readonly SimpleCommand[];
}

function suggestFor(answers: readonly SaidToCommand[]): SuggestedRule[] {
  const all = answers.flatMap((said): ReadAnswer[] => {
    const text = fieldOf(said.input, 'command') ?? '';
    const read = commandOf({ tool: SHELL_TOOL, input: said.input });
    if (read === null) return [];
    return [{ said, text, read, commands: read.unclear === null ? read.commands.map(unwrap) : [] }];
  });
  const yes = all.filter(({ said }) => said.said === 'yes');
  const no = all.filter(({ said }) => said.said === 'no');
  const patterns = new Map<string, SuggestedRule['step']>();
  for (const { commands } of yes) {
    for (const one of commands) {
      const exact = exactPattern(one);
      if (exact === null) continue;
      patterns.set(exact.join(' '), 'exact');
      const wide = widePattern(one);
      if (wide !== null) patterns.set(wide.join(' '), 'arguments');
    }
  }
  const found = [...patterns].flatMap(([command, step]) => suggestion({ command, step, yes, no }) ?? []);
  const wide = found.filter(({ step }) => step === 'arguments');
  return found.filter(
    ({ command, step }) => step === 'arguments' || !wide.some((one) => isCovered(one.command, command)),
  );
}

/** Reports whether a pattern with wildcards covers an exact one. */
const isCovered = (wide: string, exact: string): boolean =>
  coversCommand(wide.split(' '), { assignments: [], words: exact.split(' ') });

function suggestion(of: {
  command: string;
  step: SuggestedRule['step'];
  yes: readonly ReadAnswer[];
  no: readonly ReadAnswer[];
}): SuggestedRule | null {
  const { command, step, yes, no } = of;
  const pattern = command.split(' ');
  const rule = readRule({ effect: 'allow', fields: { command }, id: 'suggested', folder: null });
  if ('problem' in rule || neverMatches(rule) !== null) return null;
  if (no.some((answer) => mayCover(pattern, answer))) return null;
  const covered = yes.filter(({ commands }) => commands.some((one) => coversCommand(pattern, one)));
  const counts = new Map<string, number>();
  const parts = new Set<string>();
  for (const { text, commands } of covered) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    for (const one of commands) if (coversCommand(pattern, one)) parts.add(one.words.join(' '));
  }
  if (covered.length < LEAST_YES || (step === 'arguments' && parts.size < LEAST_DIFFERENT)) return null;
  const [{ said } = { said: null }] = covered;
  return {
    folder: said?.folder ?? '',
    command,
    step,
    yes: covered.length,
    sessions: [...new Set(covered.map((one) => one.said.session))].sort(),
    commands: [...counts].sort(([, one], [, other]) => other - one).map(([text]) => text),
  };
}

/**
 * Reports whether a refused command might contain a command that a pattern covers. A command that cannot be parsed is
 * assumed to contain it.
 */
function mayCover(pattern: readonly string[], { read, text, commands }: ReadAnswer): boolean {
  if (commands.some((one) => coversCommand(pattern, one))) return true;
  const isHidden = commands.some(({ words: [name = ''] }) => runsOthers(name) || scriptProgram(name));
  if (commands.length > 0 && !isHidden) return false;
  return read.seen.some((words) => meansCommand(pattern, words) !== null) || mayMeanCommand(pattern, plainText(text));
}

/**
 * Returns the command word for word, or null if CBOS should not suggest a rule for it, or if no rule can express it.
 */
export function exactPattern({ assignments, words }: SimpleCommand): readonly string[] | null {
  const [name = '', ...rest] = words;
  const base = baseOf(name).toLowerCase();
  if (name === 'cd' || name.includes('/') || assignments.length > 0) return null;
  if (changesShell(name) || runsOthers(name) || scriptProgram(name) || REMOVERS.test(base) || NETWORK.test(base)) {
    return null;
  }
  const wide = WIDE_WORDS.get(base);
  if (wide !== undefined && (rest.length === 0 ? base === 'make' : isWide(base, rest, wide))) return null;
  // In a rule, the words of a command are separated by spaces.
  if (words.some((word) => word === '' || /[\s*]/.test(word) || leadingAssignments([word]).length > 0)) return null;
  return words;
}

/** A subcommand comes first, whereas make targets and actions can come anywhere. */
const isWide = (base: string, rest: readonly string[], wide: RegExp): boolean =>
  (base === 'make' || base === 'find' ? rest : rest.slice(0, 1)).some((word) => wide.test(word));

/**
 * Returns a pattern for the same subcommand with any arguments, if the arguments of the program only name its input.
 */
function widePattern({ words }: SimpleCommand): readonly string[] | null {
  const [name = '', sub = ''] = words;
  const subcommands = READERS.get(name);
  if (subcommands === undefined) return null;
  if (subcommands === null) return [name, '**'];
  return subcommands.has(sub) ? [name, sub, '**'] : null;
}
