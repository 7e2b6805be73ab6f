/** What an option does besides telling the program how to do its own work. */
export type Effect = 'none' | 'runs' | 'writes' | 'lists';

export interface Option {
  /** all spellings in full, with their dashes */
  names: readonly string[];
  /** how many words of its own the option takes, or `attached` if only the same word can hold its value */
  takes: number | 'attached';
  /** `lists`: the option reads a program, options or the names of files from a file */
  effect: Effect;
  /** the options for which this one is short; the option itself if it is short for none */
  means: readonly string[];
}

/**
 * How a program reads its arguments. `gnu`: clusters, abbreviations of long options, and options after operands. `git`:
 * like `gnu`, and `--no-` negates an option. `exact`: long options in full, clusters of letters. `words`: every option
 * in full, with one dash or two, as in Go and npm; no clusters. `find`: an expression, whose options take whole words
 * only. `tar`: like `gnu`, and the first word may lack its dash. `late`: like `exact`, and the
 * values of clustered letters follow as words of their own. `text`: no word is an option.
 */
export type Syntax = 'gnu' | 'git' | 'exact' | 'words' | 'find' | 'tar' | 'late' | 'text';

/** The options of a program, or of one of its subcommands. */
export interface Table {
  syntax: Syntax;
  /** the manual from which the options are taken, with its version */
  source: string;
  options: ReadonlyMap<string, Option>;
  /** how many operands the program reads. It writes to any further ones */
  most: number;
  /** matches the operands and values with which the program runs, writes or reads something else */
  never: RegExp | null;
  /** if set, a star matches only these first operands. The others make the program do something else */
  first: RegExp | null;
  /** whether the options end at the first operand */
  stops: boolean;
  /** the options after `--`, for programs that pass these words on; null if they are operands */
  rest: Table | null;
  /** operands that mean the same as an option: what matches them, and the option */
  operandMeans: readonly (readonly [RegExp, string])[];
  /** the subcommands by all their names, or null if the program takes only full names */
  commands: ReadonlyMap<string, string> | null;
}

/** A table as it is written down. See {@link tableOf}. */
export interface Written extends Partial<Pick<Table, 'syntax' | 'most' | 'never' | 'first' | 'stops'>> {
  source: string;
  /** options that do nothing but what the program is for */
  plain?: string;
  runs?: string;
  writes?: string;
  lists?: string;
  /** the same, for the words after `--` */
  rest?: string;
  /** options that are short for others, as `-D -d -f` */
  means?: string;
  operandMeans?: readonly (readonly [RegExp, string])[];
  /** the subcommands, each with its other names after it, for a program that also takes abbreviations of them */
  commands?: string;
}

/**
 * Reads a written table. Options are separated by `;`, the spellings of an option by a space. `=` after the last
 * spelling means that the option takes a value, `[=]` that only the same word can hold its value, and `=2` that the
 * option takes two words. `-#` stands for a number, as in `head -20`.
 */
export function tableOf(written: Written): Table {
  const short = new Map(entriesOf(written.means).map(([name = '', ...others]) => [name, others]));
  const options = new Map<string, Option>();
  const add = (text: string | undefined, effect: Effect): void => {
    for (const spellings of entriesOf(text)) {
      const value = /(\[=\]|=(\d?))$/.exec(spellings.at(-1) ?? '');
      const takes = value === null ? 0 : value[1] === '[=]' ? 'attached' : Number(value[2] === '' ? 1 : value[2]);
      const names = spellings.map((name) => name.replace(/\[?=.*$/, ''));
      const [first = ''] = names;
      const option = { names, takes, effect, means: short.get(first) ?? [first] } as const;
      for (const name of names) options.set(name, option);
    }
  };
  add(written.plain, 'none');
  add(written.runs, 'runs');
  add(written.writes, 'writes');
  add(written.lists, 'lists');
  const { syntax = 'gnu', source, most = Number.POSITIVE_INFINITY, never = null, first = null, rest } = written;
  const { stops = false } = written;
  const commands = entriesOf(written.commands).flatMap((names) => names.map((name) => [name, names[0] ?? ''] as const));
  return {
    ...{ syntax, source, options, most, never, first, stops, operandMeans: written.operandMeans ?? [] },
    rest: rest === undefined ? null : tableOf({ syntax: 'exact', source, plain: rest }),
    commands: commands.length === 0 ? null : new Map(commands),
  };
}

const entriesOf = (text = ''): string[][] =>
  text
    .split(';')
    .map((one) => one.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
