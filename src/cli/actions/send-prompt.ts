import { CatalogueError, type Delivery, EXIT, isAsking } from '../../protocol/index.ts';
import { viewText } from '../../text/blocked-words.ts';
import { deliveryLine } from '../../text/delivery-text.ts';
import { sessionLine } from '../../text/session-words.ts';
import { CommandError, UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { openQuestionLines, questionLines } from '../output/question-text.ts';
import type { SelectorOptions } from '../selectors.ts';
import type { EndedTurn } from '../send-and-wait.ts';
import { readText } from '../text-argument.ts';

export interface SendOptions extends SelectorOptions {
  all?: boolean;
  fleet?: boolean;
  command?: boolean;
  force?: boolean;
  queue?: boolean;
  file?: readonly string[];
  wait?: boolean;
  timeout?: number;
  yes?: boolean;
  json?: boolean;
}

export interface SendRequest {
  slug: string | undefined;
  words: readonly string[];
  options: SendOptions;
}

/** Runs `cbos send`. */
export async function sendPrompt(context: CliContext, { slug, words, options }: SendRequest): Promise<void> {
  const { out } = context;
  if (isBroadcast(options)) {
    if (options.file !== undefined) throw filesToOne();
    const { broadcast } = await import('../broadcast.ts');
    await broadcast(context, slug === undefined ? [] : [slug, ...words], options);
    return;
  }
  if (options.fleet === true) {
    throw new UsageError('--fleet needs --all, --state, --tag or --repo', 'cbos send --help');
  }
  if (slug === undefined) throw missing('name');
  const { file: paths = [] } = options;
  if (words.length === 0 && paths.length === 0) throw missing('text');
  if (options.wait === true && slug.includes('/')) {
    throw new UsageError(
      '--wait works only for sessions on this machine',
      `cbos send ${slug} TEXT, then cbos wait ${slug}`,
    );
  }
  const body = {
    text: words.length === 0 ? '' : await readText(context, words, 'cbos send'),
    ...(options.command === true ? { command: true } : {}),
    ...(options.force === true ? { force: true } : {}),
    ...(options.queue === true ? { queue: true } : {}),
  };
  const client = await context.client();
  const send =
    paths.length === 0
      ? (): Promise<Delivery> => client.call('send', { params: { slug }, body })
      : await (await import('../send-files.ts')).openToSend(client, { slug, body, paths, cwd: context.io.cwd });
  try {
    if (options.wait !== true) {
      const delivery = await send();
      out.result(options.json, delivery, deliveryLine(delivery));
      return;
    }
    const { sendAndWait } = await import('../send-and-wait.ts');
    const ended = await sendAndWait(context, {
      slug,
      send,
      ...(options.timeout === undefined ? {} : { timeoutSeconds: options.timeout }),
    });
    if (ended !== null) await printOutcome(context, ended, options.json === true);
  } catch (error) {
    throw await withOpenQuestion(context, slug, error);
  }
}

/** Reports whether the options select several sessions. */
function isBroadcast({ all, state, tag, repo }: SendOptions): boolean {
  return all === true || state !== undefined || tag !== undefined || repo !== undefined;
}

/** Prints the outcome of a prompt: the session's answer, or the question it asks. */
async function printOutcome(context: CliContext, ended: EndedTurn, isJson: boolean): Promise<void> {
  const { out } = context;
  const { session, sent } = ended;
  const { slug, status } = session;
  if (isJson) out.json(session);
  if (status.primary === 'dead') {
    // The prompt was `/exit`.
    if (!isJson) out.line(sessionLine(session));
    return;
  }
  const { question } = status;
  if (question !== null && question.kind !== 'closing') {
    if (!isJson) out.lines(openQuestionLines(slug, status));
    const { isOnItsWay } = await import('../send-and-wait.ts');
    // The session asks something else, and the prompt is sent once that is answered.
    if (isOnItsWay(ended.delivery))
      throw new CommandError(deliveryLine(ended.delivery), `cbos answer ${slug}`, EXIT.refused);
    return;
  }
  if (question === null && isAsking(status)) {
    // A change of the status arrives without the view.
    const { view } = await (await context.client()).call('getSession', { params: { slug } });
    if (view !== undefined)
      throw new CommandError(`${slug}: ${viewText(view.name)}`, `cbos interrupt ${slug}`, EXIT.refused);
    throw new CommandError(`${slug} shows a dialog that CBOS cannot read`, `cbos attach ${slug}`, EXIT.refused);
  }
  const { readOutcome } = await import('../turn-outcome.ts');
  const outcome = await readOutcome(await context.client(), ended);
  const { text } = outcome;
  if (text !== '' && !isJson) out.line(text);
  if (outcome.kind === 'failed') throw new CommandError(outcome.why, `cbos show ${slug}`);
  if (isJson) return;
  if (text === '' && sent.text.startsWith('/')) {
    out.notice(`${slug}: the command printed nothing into the conversation — cbos buffer ${slug} shows the screen`);
  } else if (text === '') out.line(sessionLine(session));
  if (question !== null) out.notice(`${slug} ended its turn with a question — cbos send ${slug} TEXT answers it`);
}

function filesToOne(): UsageError {
  return new UsageError('--file works only for one session', 'cbos send AUTH TEXT --file PATH');
}

function missing(argument: string): UsageError {
  return new UsageError(`Missing required argument '${argument}'`, 'cbos send --help');
}

/** Returns the error for a message that was refused, after showing the dialog that blocks it. */
async function withOpenQuestion({ out }: CliContext, slug: string, error: unknown): Promise<unknown> {
  if (!(error instanceof CatalogueError) || error.code !== 'not_accepting_text') return error;
  // Load this module only when the error occurs, because loading its schemas takes as long as the rest of the command.
  const { Question } = await import('../../protocol/question.ts');
  const question = Question.safeParse(error.extra.question);
  if (question.success) out.noticeLines(questionLines(slug, question.data));
  return error;
}
