/** A command that is typed after `:` or `/`. `A` is what it works on. */
export interface Command<A> {
  usage: string;
  about: string;
  /** what it was called before: still taken, no longer offered */
  was?: string;
  /** @param words what stood after the name, trimmed */
  run(app: A, words: string): void;
}

export interface CommandSet<A> {
  /** Whether a line begins with one of its commands; other words are for Claude Code. */
  has(typed: string): boolean;
  /** Whether what follows the command's name is as it should be: nothing, where it takes nothing. */
  fits(typed: string): boolean;
  run(app: A, typed: string): void;
  /** The commands whose name begins so, with what they do. */
  matching(typed: string): [name: string, about: string][];
  /** As much as all matching commands have in common; null where that is no more than what is there. */
  complete(typed: string): string | null;
  /** how each is used, and what it does */
  help: readonly (readonly [usage: string, about: string])[];
}

/** @param table commands by name, `/` included */
export function createCommandSet<A>(table: Readonly<Record<string, Command<A>>>): CommandSet<A> {
  const matching = (typed: string): [string, string][] =>
    Object.entries(table).flatMap(([name, { about }]) => (name.startsWith(typed) ? [[name, about]] : []));
  const parse = (typed: string): { command: Command<A>; words: string } | null => {
    const [, name = '', words = ''] = /^(\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
    const command = Object.hasOwn(table, name) ? table[name] : Object.values(table).find(({ was }) => was === name);
    return command === undefined ? null : { command, words };
  };
  return {
    has: (typed) => parse(typed) !== null,
    fits(typed) {
      const parsed = parse(typed);
      return parsed !== null && (parsed.words === '' || parsed.command.usage.includes(' '));
    },
    run(app, typed) {
      const parsed = parse(typed);
      parsed?.command.run(app, parsed.words);
    },
    matching,
    complete(typed) {
      const names = matching(typed).map(([name]) => name);
      const [first] = names;
      if (first === undefined || !typed.startsWith('/')) return null;
      let end = first.length;
      while (!names.every((name) => name.startsWith(first.slice(0, end)))) end--;
      const completed = names.length === 1 ? `${first} ` : first.slice(0, end);
      return completed.length > typed.length ? completed : null;
    },
    help: Object.values(table).map(({ usage, about }) => [usage, about] as const),
  };
}
