import { type Command, InvalidArgumentError } from 'commander';
import { CatalogueError, type NewReviewComment, type Review, type ReviewComment } from '../../protocol/index.ts';
import { shownName } from '../../text/changes-words.ts';
import { agoText } from '../../text/explanation-text.ts';
import { placeText, reviewText, roundText, visibleText } from '../../text/review-words.ts';
import { UsageError } from '../command-error.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { readText } from '../text-argument.ts';
import { describe } from './command-help.ts';

const ACTIONS = ['ls', 'add', 'rm', 'send', 'mark', 'unmark'] as const;
type Action = (typeof ACTIONS)[number];

interface ReviewOptions {
  base?: boolean;
  yes?: boolean;
  json?: boolean;
}

/**
 * How many characters of an id each row shows. Ids are random, so this is enough to tell all comments of a round apart.
 */
const SHORT_ID = 8;

/** Adds `review`. */
export function addReviewing(program: Command, context: CliContext): void {
  const review = describe(program.command('review'), {
    group: 'looking',
    summary: 'comment on what a session changed, and send it the comments in rounds',
    more: [
      "CBOS keeps comments until `send`, which shows the whole round and sends it as one prompt. A working session gets the prompt when it is ready. CBOS keeps the session's answer with the round.",
      'A comment follows its lines when they move. If the lines change, the comment becomes outdated; it is sent with the original lines. `mark` marks a file as reviewed until it changes again.',
    ].join('\n'),
    examples: [
      ['cbos review AUTH', 'list the comments and the rounds'],
      ["cbos review AUTH add src/login.ts:12 'Name this'", 'comment on one line'],
      ["cbos review AUTH add src/login.ts:12-20 'Split this'", 'comment on several lines'],
      ["cbos review AUTH add src/login.ts:7 'Why?' --base", 'comment on a line that was removed'],
      ['cbos review AUTH rm 3f2a', 'delete a comment'],
      ['cbos review AUTH send', 'show the prompt, and send it after you confirm'],
      ['cbos review AUTH mark src/login.ts', 'mark this file as reviewed'],
    ],
  });
  review
    .argument('<name>', 'the session')
    .addArgument(review.createArgument('[action]', 'what to do').choices(ACTIONS).default('ls'))
    .argument('[words...]', 'add: FILE:LINE[-LINE] TEXT (- reads standard input); rm: an id; mark, unmark: files')
    .option('--base', 'with add: a line of the base that has since been removed')
    .option('-y, --yes', 'with send: do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action((slug: string, action: Action, words: string[], options: ReviewOptions) =>
      ACTS[action](context, { slug, words, options }),
    );
}

interface Asked {
  slug: string;
  words: readonly string[];
  options: ReviewOptions;
}

const ACTS: Readonly<Record<Action, (context: CliContext, asked: Asked) => Promise<void>>> = {
  ls: list,
  add,
  rm: remove,
  send,
  mark: (context, asked) => mark(context, asked, true),
  unmark: (context, asked) => mark(context, asked, false),
};

async function list(context: CliContext, { slug, words, options }: Asked): Promise<void> {
  if (words.length > 0) throw usage(`unexpected argument ${words[0]}`, 'cbos review NAME');
  const client = await context.client();
  const review = await client.call('review', { params: { slug } });
  if (options.json === true) context.out.json(review);
  else printReview(context, slug, review);
}

function printReview({ out, io }: CliContext, slug: string, review: Review): void {
  const { comments, rounds, reviewed } = review;
  for (const round of rounds) {
    out.line(`${roundText(round)}, ${agoText(round.sent_at, io.now())}`);
    for (const comment of round.comments) printComment(out, comment, '');
    const answer = round.answer === null ? [] : visibleText(round.answer).split('\n');
    for (const line of answer) out.line(out.style('green', `  │ ${line}`));
  }
  out.line(reviewText(review));
  for (const comment of comments) printComment(out, comment, `${comment.id.slice(0, SHORT_ID)}  `);
  if (reviewed.length > 0) out.line(`reviewed: ${reviewed.map(shownName).join(', ')}`);
  if (comments.length === 0 && rounds.length === 0) {
    out.notice(`no comments yet — cbos review ${slug} add FILE:LINE 'a comment'`);
  }
}

function printComment(out: CliContext['out'], comment: ReviewComment, id: string): void {
  out.line(`  ${id}${out.style('bold', placeText(comment))}`);
  // Unchanged lines are omitted, because the user can read them in the file itself.
  if (comment.anchor.state === 'outdated')
    for (const line of comment.lines) out.line(out.style('dim', `    > ${visibleText(line)}`));
  for (const line of visibleText(comment.text).split('\n')) out.line(`    ${line}`);
}

async function add(context: CliContext, { slug, words, options }: Asked): Promise<void> {
  const { out } = context;
  const [place, ...text] = words;
  if (place === undefined || text.length === 0) {
    throw usage('add needs a place and a comment', "cbos review NAME add FILE:LINE 'a comment'");
  }
  const body: NewReviewComment = {
    ...readPlace(place),
    ...(options.base === true ? { side: 'base' } : {}),
    text: await readText(context, text, 'cbos review'),
  };
  const client = await context.client();
  const comment = await client.call('addReviewComment', { params: { slug }, body });
  out.result(options.json, comment, `${comment.id.slice(0, SHORT_ID)}  ${placeText(comment)}`);
}

/** Parses a place such as `src/a.ts:3` or `src/a.ts:3-5`. The file's name may contain colons. */
function readPlace(place: string): { file: string; line: number; end_line?: number } {
  const [, file, from, to] = /^(.+):(\d{1,8})(?:[-–](\d{1,8}))?$/.exec(place) ?? [];
  if (file === undefined || from === undefined) {
    throw new InvalidArgumentError(`${visibleText(place)} isn't a valid place; use FILE:LINE or FILE:LINE-LINE`);
  }
  return { file, line: Number(from), ...(to === undefined ? {} : { end_line: Number(to) }) };
}

async function remove(context: CliContext, { slug, words, options }: Asked): Promise<void> {
  const { out } = context;
  const [given, ...more] = words;
  if (given === undefined || more.length > 0) throw usage('rm needs one id', 'cbos review NAME lists the comments');
  const client = await context.client();
  const { comments } = await client.call('review', { params: { slug } });
  const found = comments.filter(({ id }) => id.startsWith(given));
  const [comment] = found;
  if (comment === undefined) throw new CatalogueError('no_such_comment');
  if (found.length > 1) throw usage(`${given} matches ${found.length} ids`, 'type more characters of the id');
  const removed = await client.call('removeReviewComment', { params: { slug, id: comment.id } });
  out.result(options.json, removed, `deleted: ${placeText(removed)}`);
}

async function send(context: CliContext, { slug, words, options }: Asked): Promise<void> {
  const { out } = context;
  if (words.length > 0) throw usage(`unexpected argument ${words[0]}`, 'cbos review NAME send');
  const client = await context.client();
  const { prompt, round } = await client.call('review', { params: { slug } });
  if (prompt === null) throw new CatalogueError('no_comments');
  if (options.yes !== true) {
    for (const line of prompt.split('\n')) out.notice(line);
    if (!(await isConfirmed(context, `Send this to ${slug} as round ${round}?`, 'nothing was sent'))) return;
  }
  const sent = await client.call('sendReview', { params: { slug }, body: { prompt } });
  out.result(options.json, sent, `${slug}, ${roundText(sent)}`);
}

async function mark(context: CliContext, { slug, words, options }: Asked, reviewed: boolean): Promise<void> {
  const { out } = context;
  if (words.length === 0) throw usage('Name at least one file', 'cbos diff NAME --stat lists the files');
  const client = await context.client();
  let review: Review | null = null;
  for (const file of words) review = await client.call('markReviewed', { params: { slug }, body: { file, reviewed } });
  if (options.json === true) out.json(review);
  else
    for (const file of words)
      out.line(`${shownName(file)} is ${reviewed ? 'reviewed, until it changes' : 'not reviewed'}`);
}

function usage(message: string, cure: string): UsageError {
  return new UsageError(message, cure);
}
