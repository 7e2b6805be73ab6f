import { type Command, Option } from 'commander';
import { type Answer, CatalogueError, EXIT } from '../../protocol/index.ts';
import { deliveryLine } from '../../text/delivery-text.ts';
import { queueText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { type SendOptions, sendPrompt } from '../actions/send-prompt.ts';
import { CommandError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { optionLines } from '../output/question-text.ts';
import { type AlwaysOptions, answerAlways } from './answer-always.ts';
import { describe } from './command-help.ts';
import { readSeconds } from './option-values.ts';
import { addSelectors } from './selector-options.ts';

interface AnswerOptions {
  reply?: string;
  answers?: string;
  questionId?: string;
  for?: AlwaysOptions['for'];
  yes?: boolean;
  json?: boolean;
}

/** Adds `send`, `answer`, and `interrupt`. */
export function addTalking(program: Command, context: CliContext): void {
  const { out } = context;

  const sending = describe(program.command('send'), {
    group: 'talking',
    summary: 'send a prompt to a session, or to several',
    more: "CBOS never types the prompt into an open dialog. The words are joined with spaces. Quote what the shell would change, and put -- before text that starts with a dash. --all, --state, --tag and --repo replace the session's name: the command then reports how many sessions get the prompt, and asks you to confirm. Sessions on other machines get it only with --fleet. A single session on another machine is named machine/NAME; --wait and --file do not work there.\nWith --wait, the exit code is 1 if the turn failed or was interrupted, or if one of your own hooks refused the prompt.",
    examples: [
      ['cbos send AUTH run the tests again', 'a prompt'],
      ['git diff | cbos send AUTH -', 'read the prompt from standard input'],
      ['cbos send AUTH and then update the docs --queue', 'hold the prompt until the turn is over'],
      ["cbos send AUTH '/compact' --command", 'run a slash command'],
      ["cbos send AUTH 'what is wrong here?' --file shot.png", 'send an image or another file with the prompt'],
      ['cbos send AUTH fix the linter --wait', 'wait, then print the answer or the question'],
      ["cbos send --state ready 'pull, and run the tests'", 'send to every session that accepts a prompt'],
      ['cbos send build1/AUTH run the tests', 'send to a session on the machine build1'],
      ["cbos send --tag night --fleet 'stop at the next test'", 'send to sessions on all machines in the fleet'],
      [
        "cbos send --tag night --repo shop 'stop at the next test'",
        'send to the sessions in one repository that have the tag',
      ],
    ],
  })
    .usage(
      '[options] <name> <text...>\n       cbos send [options] <name> --file <path> [text...]\n       cbos send [options] --all|--state <state>|--tag <tag>|--repo <name> <text...>',
    )
    .argument('[name]', 'the session')
    .argument('[text...]', 'the prompt; - reads standard input')
    .option('--all', 'send to all sessions, except stopped and observed ones');
  addSelectors(sending, 'to')
    .option('--fleet', 'with --all, --state, --tag or --repo: also to sessions on the other machines in the fleet')
    .option('--command', 'run a prompt that starts with / or ! as a command')
    .option('--force', 'type it no matter what the session shows')
    .option('--queue', 'hold it until the session is ready')
    .option('--file <path>', 'give the session a copy of this file; may be repeated', collectFile)
    .option('--wait', 'wait until the session is ready again, and print its answer or question')
    .option('--timeout <seconds>', 'with --wait: give up after this time', readSeconds)
    .option('-y, --yes', 'for several sessions: do not ask for confirmation')
    .option('--json', 'print the API response as JSON; with --wait, the session as it is after the turn')
    .action((slug: string | undefined, words: string[], options: SendOptions) =>
      sendPrompt(context, { slug, words, options }),
    );

  describe(program.command('answer'), {
    group: 'talking',
    summary: "answer a session's open dialog",
    more: 'yes, no and always answer a permission request. A number chooses an option as `cbos show` lists it; 1,3 chooses several. Anything else is the label of an option, or text for the free-text option.',
    examples: [
      ['cbos answer AUTH yes', 'allow what the session asks'],
      ["cbos answer AUTH no --reply 'use pnpm instead'", 'say no, and tell Claude what to do instead'],
      ['cbos answer AUTH always --for session', 'allow it as long as this session runs; --for project: in its project'],
      ['cbos answer AUTH always --for rule', 'add an approval rule, which is shown first'],
      ['cbos answer DOCS 2', 'choose the second option'],
      ['cbos answer DOCS 1,3', 'choose several options, if the question allows it'],
      ['cbos answer DOCS PostgreSQL', 'choose the option with this label'],
      ['cbos answer build1/AUTH yes', 'answer a session on another machine in the fleet'],
    ],
  })
    .argument('<name>', 'the session')
    .argument('[choice...]', 'yes, no, always, a number, or text')
    .option('--reply <text>', 'a message to go with yes, no, always or a number')
    .addOption(new Option('--remark <text>', 'the former name of --reply').hideHelp())
    .option('--answers <json>', 'for a dialog with several questions: {"question": "label", …}')
    .addOption(new Option('--for <what>', 'with always: where it applies').choices(['session', 'project', 'rule']))
    .option('--yes', 'with --for rule: do not ask whether to add the rule')
    .option('--question-id <id>', 'refuse if a different question is open now')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, words: string[], { remark, ...options }: AnswerOptions & { remark?: string }) => {
      const reply = options.reply ?? remark;
      const { for: reach } = options;
      if (reach !== undefined) {
        if (words.join(' ') !== 'always' || reply !== undefined || options.answers !== undefined) {
          throw new CommandError(
            '--for works only with always',
            `cbos answer ${slug} always --for ${reach}`,
            EXIT.usage,
          );
        }
        return answerAlways(context, slug, { ...options, for: reach });
      }
      const body = readAnswer(words.join(' '), { ...options, ...(reply === undefined ? {} : { reply }) });
      const client = await context.client();
      try {
        const result = await client.call('answer', { params: { slug }, body });
        if (options.json === true) out.json(result);
        else out.line(`${slug}: answered`);
      } catch (error) {
        if (error instanceof CatalogueError && error.code === 'no_such_option') await printOptions(context, slug);
        throw error;
      }
    });

  describe(program.command('continue'), {
    group: 'talking',
    summary: 'continue a session after a usage limit',
    more: 'Sends one prompt to a session whose last turn was stopped by a usage limit, once that limit has ended. The prompt is sent only once, no matter who asks for it, and not at all if the session has already been continued in another way.',
    examples: [['cbos continue AUTH', 'when cbos ls says that the usage limit has ended']],
  })
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: { json?: boolean }) => {
      const client = await context.client();
      const delivery = await client.call('continueSession', { params: { slug } });
      if (options.json === true) out.json(delivery);
      else out.line(deliveryLine(delivery));
    });

  describe(program.command('interrupt'), {
    group: 'talking',
    summary: "interrupt a session's running turn, or close the view that covers its prompt",
    more: "This does what Esc does in the terminal. It never dismisses a dialog, and is refused if no turn is running. If no turn is running and one of Claude Code's views covers the prompt, such as /help or the detailed transcript, it closes the view. An interrupt also pauses the session's queue until `cbos queue resume`.",
    examples: [
      ['cbos interrupt AUTH', 'end the turn of AUTH; the session keeps running'],
      ['cbos interrupt build1/AUTH', 'the same on another machine in the fleet'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: { json?: boolean }) => {
      const client = await context.client();
      const { view } = await client.call('getSession', { params: { slug } });
      const result = await client.call('interrupt', { params: { slug } });
      if (options.json === true) out.json(result);
      else if (view !== undefined) out.line(`${slug}: the view was closed; it accepts prompts again`);
      else {
        out.line(`${slug}: interrupted; it accepts prompts again`);
        const session = await client.call('getSession', { params: { slug } });
        if (queueText(session) !== '') out.notice(`its queue is paused — cbos queue resume ${slug}`);
      }
    });
}

function collectFile(path: string, sofar: readonly string[] = []): readonly string[] {
  return [...sofar, path];
}

/**
 * Parses the answer, that is, the words after the slug: a keyword such as `yes`, one or more option numbers, or free
 * text.
 */
export function readAnswer(text: string, options: AnswerOptions): Answer {
  const rest = options.questionId === undefined ? {} : { question_id: options.questionId };
  if (options.answers !== undefined) return { answers: readAnswers(options.answers, text), ...rest };
  const choice = readChoice(text);
  if (choice === null) {
    if (options.reply !== undefined) {
      throw new CommandError('--reply needs yes, no, always or a number', 'cbos answer --help', EXIT.usage);
    }
    if (text === '') throw new CommandError('The answer is missing', 'cbos answer --help', EXIT.usage);
    return { text, ...rest };
  }
  return { choice, ...(options.reply === undefined ? {} : { text: options.reply }), ...rest };
}

function readChoice(text: string): NonNullable<Answer['choice']> | null {
  if (text === 'yes' || text === 'no' || text === 'always') return text;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  if (/^[1-9]\d{0,3}(, ?[1-9]\d{0,3})+$/.test(text)) return text.split(',').map(Number);
  return null;
}

function readAnswers(json: string, text: string): NonNullable<Answer['answers']> {
  if (text !== '')
    throw new CommandError('--answers cannot be combined with another answer', 'cbos answer --help', EXIT.usage);
  try {
    // No check is needed here, because the server validates the body of every request.
    return JSON.parse(json) as NonNullable<Answer['answers']>;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new CommandError(
      '--answers is not JSON',
      `cbos answer AUTH --answers '{"Which one?":"The first"}'`,
      EXIT.usage,
    );
  }
}

/** Prints the available options to standard error, above the line with the error. */
async function printOptions(context: CliContext, slug: string): Promise<void> {
  const client = await context.client();
  const { status } = await client.call('getSession', { params: { slug } });
  if (status.question === null) return;
  const parts = status.question.questions.length > 0 ? status.question.questions : [status.question];
  for (const part of parts) context.out.noticeLines([cleanLine(part.text), ...optionLines(part.options)]);
}
