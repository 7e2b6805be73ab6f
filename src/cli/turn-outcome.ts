import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../client/index.ts';
import { CatalogueError, type Delivery, type Explanation, type Session } from '../protocol/index.ts';
import { printedText } from '../text/event-text.ts';
import { cleanBlock, cleanLine } from '../text/terminal-text.ts';
import type { EndedTurn } from './send-and-wait.ts';
import { readTurnAnswer } from './turn-answer.ts';

/**
 * How the turn of a prompt ended. `text` is the answer, made safe for a terminal. It is empty if no source reports an
 * answer. A turn that failed may have answered, for example if it used up its budget.
 */
export type TurnOutcome = { text: string } & ({ kind: 'answered' } | { kind: 'failed'; why: string });

/**
 * How long to wait until the server has found out that a hook refused the prompt. Claude Code puts the prompt back into
 * the box at the same time, and the server reads the transcript then.
 */
const REFUSAL_LAG_MS = 500;
const ASK_AGAIN_MS = 50;
/**
 * How long to wait for the output of a slash command in the transcript. Claude Code writes it up to half a second after
 * it has drawn it (2.1.330). A command that opens a view has no output until the view is closed.
 */
const OUTPUT_LAG_MS = 3_000;
/** How an entry of the transcript begins that contains the output of a command, even if that is empty. */
const OUTPUT = '<local-command-std';

/** Determines how a turn ended, when the session is ready again. */
export async function readOutcome(client: Caller, { before, session, sent }: EndedTurn): Promise<TurnOutcome> {
  const { slug, status } = session;
  const delivery = await settledDelivery(client, session, sent);
  if (isRefused(delivery))
    return { kind: 'failed', text: '', why: `${slug}: ${cleanLine(delivery.note ?? 'refused')}` };
  // A held prompt may have been sent long after it was accepted.
  const since = sent.status === 'queued' ? delivery.updated_at : delivery.created_at;
  const {
    status: settled,
    evidence: { hooks, json },
  } = await settledExplanation(client, session);
  const hasPrompt = hooks?.prompt != null && hooks.prompt.at >= since;
  // A slash command that begins no turn leaves the last message of the model as it is, even if that is an error.
  const isEarlier =
    session.type === 'screen' && sent.text.startsWith('/') && !hasPrompt && isSameError(before, session);
  if (status.detail === 'error' && !isEarlier) {
    const text = session.type === 'json' ? await answerOf(client, slug, { id: sent.id, since }) : '';
    return { kind: 'failed', text, why: `The turn of ${slug} failed: ${cleanLine(status.because.evidence)}` };
  }
  const end = json === null || json === undefined ? hooks?.turn_end : json.turn_end;
  const isEnd = end != null && end.at >= since;
  // No hook reports an interrupt, so the last prompt has no end then.
  const hasNoEnd = hasPrompt && !isEnd;
  const isInterrupted =
    delivery.phase === 'interrupted' ||
    (isEnd && 'interrupted' in end && end.interrupted) ||
    (hasPrompt && settled.interrupted === true);
  if (isInterrupted || (session.type === 'screen' && hasNoEnd))
    return { kind: 'failed', text: '', why: `The turn of ${slug} was interrupted` };
  const text = !isEnd
    ? ''
    : session.type === 'json'
      ? await answerOf(client, slug, { id: sent.id, since })
      : await shownAnswer(client, slug, { sent, hooks, message: end.message ?? '' });
  return { kind: 'answered', text: text === '' ? await shownByCommand(client, session, { ...delivery, since }) : text };
}

const isSameError = (before: Session | null, { status }: Session): boolean =>
  before?.status.detail === 'error' && before.status.because.evidence === status.because.evidence;

const isRefused = ({ phase }: Delivery): boolean => phase === 'refused' || phase === 'refused_back';

async function settledDelivery(client: Caller, { slug, type, status }: Session, sent: Delivery): Promise<Delivery> {
  const mayBeRefused = type === 'screen' && status.detail === 'error';
  const rounds = mayBeRefused ? REFUSAL_LAG_MS / ASK_AGAIN_MS : 0;
  for (let round = 0; ; round += 1) {
    const delivery = await client.call('getDelivery', { params: { slug, id: sent.id } });
    if (isRefused(delivery) || round >= rounds) return delivery;
    await delay(ASK_AGAIN_MS);
  }
}

/** Waits until the screen shows no turn any more. Only then does it show whether the turn was interrupted. */
async function settledExplanation(client: Caller, { slug }: Session): Promise<Explanation> {
  for (let round = 0; ; round += 1) {
    const explanation = await client.call('explain', { params: { slug } });
    const screen = explanation.verdicts.find(({ source }) => source === 'screen');
    if (screen?.primary !== 'active' || round >= REFUSAL_LAG_MS / ASK_AGAIN_MS) return explanation;
    await delay(ASK_AGAIN_MS);
  }
}

/** Returns the answer of a terminal session. It is not known if Claude Code has begun a turn of its own since then. */
async function shownAnswer(
  client: Caller,
  slug: string,
  { sent, hooks, message }: { sent: Delivery; hooks: Explanation['evidence']['hooks']; message: string },
): Promise<string> {
  const prompted = { text: sent.text, createdAt: sent.created_at };
  const isNewest = hooks?.prompt?.text.startsWith('<task-notification>') !== true;
  return cleanBlock(await readTurnAnswer(client, { slug, prompted, message, isNewest })).trim();
}

/** Returns the answer of a JSON session. */
async function answerOf(client: Caller, slug: string, turn: { id: string; since: string }): Promise<string> {
  try {
    const { text, at } = await client.call('lastResponse', { params: { slug }, query: { delivery: turn.id } });
    return at >= turn.since ? cleanBlock(text).trim() : '';
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'no_response') return '';
    throw error;
  }
}

/**
 * Returns what a slash command printed into the conversation, if anything. Some commands open a view instead. Claude
 * Code draws the output before it writes the output to the transcript.
 */
async function shownByCommand(
  client: Caller,
  { slug, type }: Session,
  { text, since }: { text: string; since: string },
): Promise<string> {
  if (type !== 'screen' || !text.startsWith('/')) return '';
  const from = Date.parse(since) / 1_000;
  for (let round = 0; ; round += 1) {
    const { events } = await client.call('transcript', { params: { slug }, query: {} });
    const later = events.filter(({ timestamp }) => timestamp >= from);
    const printed = later.map(({ event }) => printedText(event)).filter((words) => words !== '');
    const isWritten = printed.length > 0 || later.some(({ event }) => JSON.stringify(event).includes(OUTPUT));
    if (isWritten || round >= OUTPUT_LAG_MS / ASK_AGAIN_MS) return printed.join('\n').trim();
    const { view } = await client.call('getSession', { params: { slug } });
    if (view !== undefined) return '';
    await delay(ASK_AGAIN_MS);
  }
}
