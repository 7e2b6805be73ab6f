/** A command that the user types after `:` or `/`. `A` is the type of the object that the command acts on. */
export interface Command<A> {
  usage: string;
  about: string;
  /** the command's former name, which is still accepted but no longer suggested */
  was?: string;
  /** @param words the text after the command's name, without surrounding spaces */
  run(app: A, words: string): void;
}

export interface CommandSet<A> {
  /** Reports whether a line begins with one of these commands. All other lines are meant for Claude Code. */
  has(typed: string): boolean;
  /**
   * Reports whether the text after the command's name is valid. If the command takes no argument, there must be no
   * text.
   */
  fits(typed: string): boolean;
  run(app: A, typed: string): void;
  /** Returns the commands whose names begin with the given string, along with their descriptions. */
  matching(typed: string): [name: string, about: string][];
  /** Returns the longest common prefix of all matching commands, or null if the user has already typed this much. */
  complete(typed: string): string | null;
  /** the usage and the description of each command */
  help: readonly (readonly [usage: string, about: string])[];
}

/** @param table the commands by name, including the `/` */
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
