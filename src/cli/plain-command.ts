import { countSessions } from './actions/count-sessions.ts';
import { listSessions } from './actions/list-sessions.ts';
import { sendPrompt } from './actions/send-prompt.ts';
import { showSession } from './actions/show-session.ts';
import type { CliContext } from './context.ts';

/** The options that a plain command line may contain, by their names in the declarations under `commands/`. */
interface PlainOptions {
  fleet?: boolean;
  json?: boolean;
  queue?: boolean;
  quiet?: boolean;
}

interface PlainCommand {
  options: Readonly<Record<string, keyof PlainOptions>>;
  /** the least and the greatest number of arguments */
  takes: readonly [least: number, most: number];
  run(context: CliContext, words: readonly string[], options: PlainOptions): Promise<void>;
}

const JSON_OPTION = { '--json': 'json' } as const;

const COMMANDS: ReadonlyMap<string | undefined, PlainCommand> = new Map<string, PlainCommand>([
  [
    'ls',
    {
      options: { ...JSON_OPTION, '-q': 'quiet', '--quiet': 'quiet', '--fleet': 'fleet' },
      takes: [0, 0],
      run: (context, _, options) => listSessions(context, options),
    },
  ],
  ['status', { options: JSON_OPTION, takes: [0, 0], run: (context, _, options) => countSessions(context, options) }],
  [
    'show',
    {
      options: JSON_OPTION,
      takes: [1, 1],
      run: (context, [slug = ''], options) => showSession(context, slug, options),
    },
  ],
  [
    'send',
    {
      options: { ...JSON_OPTION, '--queue': 'queue' },
      takes: [2, Number.POSITIVE_INFINITY],
      run: (context, [slug = '', ...words], options) => sendPrompt(context, { slug, words, options }),
    },
  ],
]);

const VERSION_OPTIONS: ReadonlySet<string | undefined> = new Set(['-V', '--version']);

/**
 * Returns a function that runs the command line if it is plain, or null. A plain command line consists of a command
 * that people and scripts run all day, its arguments, and a few options without values. It needs no parser: loading
 * commander and declaring the command take as long as everything else in `cbos ls`. All other command lines, including
 * wrong ones, are left to the parser, which passes the same arguments and options to the same functions.
 */
export function plainCommand([name, ...rest]: readonly string[]): ((context: CliContext) => Promise<void>) | null {
  if (VERSION_OPTIONS.has(name) && rest.length === 0) return async ({ out, version }) => out.line(version);
  const command = COMMANDS.get(name);
  if (command === undefined) return null;
  const words: string[] = [];
  const options: PlainOptions = {};
  for (const word of rest) {
    const option = Object.hasOwn(command.options, word) ? command.options[word] : undefined;
    if (option !== undefined) options[option] = true;
    else if (word === '' || word.startsWith('-')) return null;
    else words.push(word);
  }
  const [least, most] = command.takes;
  if (words.length < least || words.length > most) return null;
  return (context) => {
    if (least > 0) context.about = words[0];
    return command.run(context, words, options);
  };
}
