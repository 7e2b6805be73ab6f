import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Answer, CatalogueError, EXIT, openQuestions, type Question, type Session } from '../../protocol/index.ts';
import { askerText, isAskerNamed } from '../../text/asker-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError, UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { needsForm, readValues } from '../form-values.ts';
import { optionLines } from '../output/question-text.ts';
import { type AlwaysOptions, answerAlways } from './answer-always.ts';
import { describe } from './command-help.ts';
import { collect } from './option-values.ts';

/** How long after an answer the dialog of another question may take to appear on a loaded machine. */
const NEXT_DIALOG_MS = 10_000;
const ASK_AGAIN_MS = 100;
/** The errors about a question whose dialog is not shown at the moment. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['question_behind', 'stale_question', 'no_question']);

interface AnswerOptions {
  reply?: string;
  remark?: string;
  answers?: string;
  set?: string[];
  cancel?: boolean;
  question?: string;
  questionId?: string;
  allOf?: string;
  for?: AlwaysOptions['for'];
  yes?: boolean;
  json?: boolean;
}

/** Adds `answer`. */
export function addAnswering(program: Command, context: CliContext): void {
  describe(program.command('answer'), {
    group: 'talking',
    summary: 'answer what a session asks',
    more: 'yes, no and always answer a permission request. A number chooses an option as `cbos show` lists it; 1,3 chooses several. Anything else is the label of an option, or text for the free-text option. --set fills in a field of a form that an MCP server asks you to fill in; no declines the form. If several questions are open, because agents ask as well, the answer goes to the oldest; --question names another one.',
    examples: [
      ['cbos answer AUTH yes', 'allow what the session asks'],
      ["cbos answer AUTH no --reply 'use pnpm instead'", 'say no, and tell Claude what to do instead'],
      ['cbos answer AUTH always --for session', 'allow it as long as this session runs; --for project: in its project'],
      ['cbos answer AUTH always --for rule', 'add an approval rule, which is shown first'],
      ['cbos answer DOCS 2', 'choose the second option'],
      ['cbos answer DOCS 1,3', 'choose several options, if the question allows it'],
      ['cbos answer DOCS PostgreSQL', 'choose the option with this label'],
      [
        'cbos answer AUTH yes --question 3f8a…',
        'answer this one of several open questions; `cbos show` lists their ids',
      ],
      ['cbos answer AUTH yes --all-of general-purpose', 'give one answer to everything that this agent asks now'],
      ['cbos answer AUTH --set environment=staging --set count=3', "fill in an MCP server's form, and accept it"],
      ['cbos answer build1/AUTH yes', 'answer a session on another machine in the fleet'],
    ],
  })
    .argument('<name>', 'the session')
    .argument('[choice...]', 'yes, no, always, a number, or text')
    .option('--reply <text>', 'a message to go with yes, no, always or a number')
    .addOption(new Option('--remark <text>', 'the former name of --reply').hideHelp())
    .option('--set <field=value>', 'fill in a field of a form; can be repeated', collect)
    .option('--cancel', 'close a form without accepting or declining it')
    .option('--answers <json>', 'for a dialog with several questions: {"question": "label", …}')
    .addOption(new Option('--for <what>', 'with always: where it applies').choices(['session', 'project', 'rule']))
    .option('--yes', 'with --for rule: do not ask whether to add the rule')
    .option('--question <id>', 'answer this open question; refuse if it is no longer open')
    .addOption(new Option('--question-id <id>', 'the former name of --question').hideHelp())
    .option('--all-of <asker>', "answer all open questions of one agent, by its type, task or id, or of the 'session'")
    .option('--json', 'print the API response as JSON')
    .action((slug: string, words: string[], options: AnswerOptions) =>
      answer(context, slug, { ...options, text: words.join(' ') }),
    );
}

async function answer(context: CliContext, slug: string, options: AnswerOptions & { text: string }): Promise<void> {
  const { text, for: reach, allOf } = options;
  const reply = options.reply ?? options.remark;
  const questionId = options.question ?? options.questionId;
  const named = questionId === undefined ? {} : { questionId };
  if (reach !== undefined) {
    if (text !== 'always' || reply !== undefined || options.answers !== undefined || allOf !== undefined) {
      throw new UsageError('--for works only with always', `cbos answer ${slug} always --for ${reach}`);
    }
    return answerAlways(context, slug, { ...options, ...named, for: reach });
  }
  const body = readAnswer(text, { ...options, reply });
  const { set = [] } = options;
  if (allOf === undefined) {
    const given = needsForm(set) ? await withNames(context, slug, { set, questionId }) : withId(body, questionId);
    return answerOne(context, slug, { ...options, body: given });
  }
  if (questionId !== undefined) {
    throw new UsageError('--question and --all-of cannot be combined', 'cbos answer --help');
  }
  const bodyFor = ({ form }: Question): Answer =>
    body.values === undefined ? body : { values: readValues(set, form ?? null) };
  return answerAllOf(context, slug, { bodyFor, allOf, isJson: options.json === true });
}

/** Reads values by the names of the fields of the form that is open, and answers only that form. */
async function withNames(
  context: CliContext,
  slug: string,
  { set, questionId }: { set: readonly string[]; questionId: string | undefined },
): Promise<Answer> {
  const client = await context.client();
  const open = openQuestions((await client.call('getSession', { params: { slug } })).status);
  const question = questionId === undefined ? open[0] : open.find(({ id }) => id === questionId);
  return withId({ values: readValues(set, question?.form ?? null) }, questionId ?? question?.id ?? undefined);
}

const withId = (body: Answer, id: string | undefined): Answer =>
  id === undefined ? body : { ...body, question_id: id };

async function answerOne(
  context: CliContext,
  slug: string,
  { body, json = false }: { body: Answer; json?: boolean },
): Promise<void> {
  const client = await context.client();
  try {
    const result = await client.call('answer', { params: { slug }, body });
    context.out.result(json, result, `${slug}: answered`);
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'no_such_option') {
      await printOptions(context, slug, body.question_id);
    }
    throw error;
  }
}

/** Gives one answer to each question that an asker has open now. A question that it opens later is not answered. */
async function answerAllOf(
  context: CliContext,
  slug: string,
  { bodyFor, allOf, isJson }: { bodyFor(question: Question): Answer; allOf: string; isJson: boolean },
): Promise<void> {
  const { out } = context;
  const client = await context.client();
  const session: Session = await client.call('getSession', { params: { slug } });
  const open = openQuestions(session.status);
  const meant = open.filter(({ asker }) => isAskerNamed(asker, allOf));
  if (meant.length === 0) {
    const askers = [...new Set(open.map((question) => askerText(question) || 'session'))].join(', ');
    throw new CommandError(
      askers === '' ? `${slug} has no open question` : `"${allOf}" asks nothing in ${slug}; these ask: ${askers}`,
      `cbos show ${slug}`,
      EXIT.refused,
    );
  }
  await answerEach(meant, async (question) => {
    const { id } = question;
    await client.call('answer', { params: { slug }, body: { ...bodyFor(question), question_id: id } });
    if (!isJson) out.line(`${slug}: answered ${cleanLine(id)}`);
  });
  if (isJson) out.json({ answered: meant.map(({ id }) => id) });
}

/**
 * Answers the questions one after another. A terminal shows the next dialog a moment after an answer, and shows the
 * dialogs of several agents in any order. Until the first dialog is drawn, the server may name another one as shown.
 */
async function answerEach(
  questions: readonly Question[],
  answerIt: (question: Question) => Promise<void>,
): Promise<void> {
  const left = questions.toSorted((one, other) => Number(one.behind ?? false) - Number(other.behind ?? false));
  let shownAt = left[0]?.behind === true ? null : performance.now();
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    try {
      await answerIt(next);
      shownAt = performance.now();
    } catch (error) {
      const code = error instanceof CatalogueError ? error.code : '';
      const isBehind = code === 'question_behind' || (next.behind === true && NOT_SHOWN.has(code));
      if (!isBehind || shownAt === null || performance.now() - shownAt > NEXT_DIALOG_MS) throw error;
      left.push(next);
      await delay(ASK_AGAIN_MS);
    }
  }
}

/**
 * Parses the answer, that is, the words after the slug: a keyword such as `yes`, one or more option numbers, or free
 * text.
 */
function readAnswer(text: string, options: AnswerParts): Answer {
  if (options.set !== undefined || options.cancel === true) return readForm(text, options);
  if (options.answers !== undefined) return { answers: readAnswers(options.answers, text) };
  const choice = readChoice(text);
  if (choice === null) {
    if (options.reply !== undefined) {
      throw new UsageError('--reply needs yes, no, always or a number', 'cbos answer --help');
    }
    if (text === '') throw new UsageError('The answer is missing', 'cbos answer --help');
    return { text };
  }
  return { choice, ...(options.reply === undefined ? {} : { text: options.reply }) };
}

type AnswerParts = Pick<AnswerOptions, 'answers' | 'set' | 'cancel'> & { reply: string | undefined };

/** Reads the answer to a form. Values accept the form, with or without a `yes`. */
function readForm(text: string, { set = [], cancel, answers, reply }: AnswerParts): Answer {
  const isAlone = answers === undefined && reply === undefined;
  if (!isAlone || (cancel === true ? set.length > 0 || text !== '' : text !== '' && text !== 'yes')) {
    throw new UsageError('--set and --cancel cannot be combined with another answer', 'cbos answer --help');
  }
  return cancel === true ? { choice: 'cancel' } : { values: readValues(set, null) };
}

function readChoice(text: string): NonNullable<Answer['choice']> | null {
  if (text === 'yes' || text === 'no' || text === 'always') return text;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  if (/^[1-9]\d{0,3}(, ?[1-9]\d{0,3})+$/.test(text)) return text.split(',').map(Number);
  return null;
}

function readAnswers(json: string, text: string): NonNullable<Answer['answers']> {
  if (text !== '') throw new UsageError('--answers cannot be combined with another answer', 'cbos answer --help');
  try {
    // No check is needed here, because the server validates the body of every request.
    return JSON.parse(json) as NonNullable<Answer['answers']>;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError('--answers is not JSON', `cbos answer AUTH --answers '{"Which one?":"The first"}'`);
  }
}

/** Prints the available options to standard error, above the line with the error. */
async function printOptions(context: CliContext, slug: string, id: string | undefined): Promise<void> {
  const client = await context.client();
  const open = openQuestions((await client.call('getSession', { params: { slug } })).status);
  const question = id === undefined ? open[0] : open.find((one) => one.id === id);
  if (question === undefined) return;
  const parts = question.questions.length > 0 ? question.questions : [question];
  for (const part of parts) context.out.noticeLines([cleanLine(part.text), ...optionLines(part.options)]);
}
