import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../client/index.ts';
import {
  CatalogueError,
  type Delivery,
  type Explanation,
  hasFailed,
  isTurnInterrupted,
  type Session,
} from '../protocol/index.ts';
import { deliveryLine } from '../text/delivery-text.ts';
import { isCommandError, printedText, warningText } from '../text/event-text.ts';
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
const REFUSAL_LAG_MS = 1_000;
/**
 * The same for a session that looks as after an interrupt, because the prompt that is back in the box hides the notice.
 * The server then looks into the transcript three times in 1.8 s.
 */
const HIDDEN_REFUSAL_LAG_MS = 2_500;
const ASK_AGAIN_MS = 50;
/**
 * How long to wait until something shows how a turn ended. On a busy machine, the screen shows an interrupt, and a hook
 * reports the end, seconds after the session looks ready.
 */
const UNDECIDED_MS = 10_000;
/**
 * How long to wait for the output of a slash command in the transcript. Claude Code writes it up to half a second after
 * it has drawn it (2.1.330). A command that opens a view has no output until the view is closed.
 */
const OUTPUT_LAG_MS = 3_000;
/** How an entry of the transcript begins that contains the output of a command, even if that is empty. */
const OUTPUT = '<local-command-std';

/** Determines how a turn ended, when the session is ready again. */
export async function readOutcome(client: Caller, ended: EndedTurn): Promise<TurnOutcome> {
  const { before, session, sent } = ended;
  const { slug } = session;
  const seen = await settledEnd(client, ended);
  const { delivery, since, hooks, hasPrompt, end, isInterrupted } = seen;
  // The session may have looked ready for a moment, before the screen showed that the turn failed.
  const { status } = seen.explanation;
  if (isRefused(delivery))
    return { kind: 'failed', text: '', why: `${slug}: ${cleanLine(delivery.note ?? 'refused')}` };
  if (delivery.status !== 'delivered') return { kind: 'failed', text: '', why: deliveryLine(delivery) };
  // A slash command that begins no turn leaves the last message of the model as it is, even if that is an error.
  const isEarlier = session.type === 'screen' && sent.text.startsWith('/') && !hasPrompt && isSameError(before, status);
  if (hasFailed(status) && !isEarlier) {
    const said = session.type === 'json' ? await answerOf(client, slug, { id: sent.id, since }) : '';
    const error = cleanLine(status.because.evidence);
    // The answer to a slash command that failed is the error.
    return { kind: 'failed', text: cleanLine(said) === error ? '' : said, why: `The turn of ${slug} failed: ${error}` };
  }
  if (isInterrupted) return { kind: 'failed', text: '', why: `The turn of ${slug} was interrupted` };
  if (end?.command_error !== undefined)
    return { kind: 'failed', text: '', why: `${slug}: ${cleanLine(end.command_error)}` };
  if (isUndecided(session, seen))
    return { kind: 'failed', text: '', why: `Nothing shows how the turn of ${slug} ended` };
  const text =
    end === null
      ? ''
      : session.type === 'json'
        ? await answerOf(client, slug, { id: sent.id, since })
        : await shownAnswer(client, slug, { sent, hooks, message: end.message ?? '' });
  if (text !== '') return { kind: 'answered', text };
  const printed = await printedBy(client, session, { ...delivery, since });
  const why = session.type === 'json' ? null : failureIn(printed, delivery);
  if (why !== null) return { kind: 'failed', text: '', why: `${slug}: ${why}` };
  return { kind: 'answered', text: printed?.text ?? '' };
}

/** What shows how the turn of a prompt ended. */
interface SeenEnd {
  delivery: Delivery;
  /** when CBOS sent the prompt */
  since: string;
  hooks: Explanation['evidence']['hooks'];
  /** whether a hook has reported the prompt */
  hasPrompt: boolean;
  /** the end of the turn, as a hook or an event reported it */
  end: { message?: string | null; command_error?: string | undefined } | null;
  isInterrupted: boolean;
  explanation: Explanation;
}

/**
 * Reads how the turn ended, and waits for what the server learns a moment later: that a hook refused the prompt, or
 * that the screen shows no turn any more. Only then does the screen show whether the turn was interrupted, which no
 * hook reports.
 */
async function settledEnd(client: Caller, { session, sent }: EndedTurn): Promise<SeenEnd> {
  const beganAt = performance.now();
  for (;;) {
    const seen = await readEnd(client, session, sent);
    if (isRefused(seen.delivery) || performance.now() - beganAt >= lagOf(session, seen)) return seen;
    await delay(ASK_AGAIN_MS);
  }
}

async function readEnd(client: Caller, { slug, type }: Session, sent: Delivery): Promise<SeenEnd> {
  const delivery = await client.call('getDelivery', { params: { slug, id: sent.id } });
  const explanation = await client.call('explain', { params: { slug } });
  const { hooks, json } = explanation.evidence;
  const prompt = hooks?.prompt ?? null;
  const isOwn = prompt !== null && prompt.at >= delivery.created_at && isPrompt(sent.text, prompt);
  // A held prompt may have been sent long after it was accepted. CBOS notes that it was sent after the hook reports it.
  const heldUntil = isOwn ? prompt.at : delivery.updated_at;
  const since = sent.status === 'queued' ? heldUntil : delivery.created_at;
  const hasPrompt = prompt !== null && prompt.at >= since;
  const reported = type === 'json' ? json?.turn_end : hooks?.turn_end;
  const end = reported != null && reported.at >= since ? reported : null;
  const isInterrupted =
    isTurnInterrupted(delivery) ||
    (end !== null && 'interrupted' in end && end.interrupted === true) ||
    (hasPrompt && explanation.status.interrupted === true);
  return { delivery, since, hooks, hasPrompt, end, isInterrupted, explanation };
}

/**
 * Reports whether a hook reports the prompt with this text, perhaps together with others. Claude Code changes the white
 * space.
 */
function isPrompt(text: string, prompt: { text: string; cut?: boolean | undefined }): boolean {
  const [sent, reported] = [inOneLine(text), inOneLine(prompt.text)];
  if (sent === '' || reported === '') return false;
  return prompt.cut === true ? sent.startsWith(reported) : reported.includes(sent);
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * Reports whether nothing shows yet how the turn of a prompt in a terminal session ended, although hooks report turns
 * there. A slash command and a shell command need not begin a turn. If CBOS is interrupting the turn, a hook may have
 * reported its end before that: the screen shows the interrupt a moment later.
 */
function isUndecided(
  { type }: Session,
  { delivery, hooks, hasPrompt, end, isInterrupted, explanation }: SeenEnd,
): boolean {
  const beginsTurn = hasPrompt || (hooks?.last_at != null && !/^[/!]/.test(delivery.text));
  const isOpen = delivery.phase === 'interrupting' || (beginsTurn && end === null);
  return type === 'screen' && isOpen && !isInterrupted && !hasFailed(explanation.status);
}

/** Returns how long what is seen may change. */
function lagOf(session: Session, seen: SeenEnd): number {
  const { delivery, end, isInterrupted, explanation } = seen;
  if (isUndecided(session, seen)) return UNDECIDED_MS;
  const mayBeHidden = session.type === 'screen' && isInterrupted && end === null && !isTurnInterrupted(delivery);
  if (mayBeHidden) return HIDDEN_REFUSAL_LAG_MS;
  return mayChange(session, explanation) ? REFUSAL_LAG_MS : 0;
}

function mayChange({ type }: Session, { status, verdicts }: Explanation): boolean {
  const mayBeRefused = type === 'screen' && hasFailed(status);
  return mayBeRefused || verdicts.some(({ source, primary }) => source === 'screen' && primary === 'active');
}

const isSameError = (before: Session | null, status: Session['status']): boolean =>
  before !== null && hasFailed(before.status) && before.status.because.evidence === status.because.evidence;

const isRefused = ({ phase }: Delivery): boolean => phase === 'refused' || phase === 'refused_back';

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

/** What a slash command printed, or why it failed. */
interface Printed {
  text: string;
  failure: string | null;
}

/** Matches what `/compact` prints if it has compacted the conversation (2.1.330). */
const COMPACTED = /\bCompacted\b/;
const isCompaction = (command: string): boolean => /^\/compact\b/.test(command);

/**
 * Returns why a slash command failed, or null if it did not. `/compact` prints something unless it is interrupted, and
 * only an interrupt of CBOS is known as one.
 */
export function failureIn(printed: Printed | null, command: Pick<Delivery, 'text' | 'phase'>): string | null {
  const { text, phase } = command;
  if (printed !== null || !isCompaction(text)) return printed?.failure ?? null;
  return isTurnInterrupted(command) || phase === 'interrupting'
    ? `${text} was interrupted`
    : `nothing shows that ${text} has ended well`;
}

/**
 * Returns what a slash command printed into the conversation, which is empty if it opened a view instead. Claude Code
 * draws the output before it writes the output to the transcript. @returns null if the command left nothing at all. The
 * `failure` is the reason why it failed or was not carried out, or null.
 */
export async function printedBy(
  client: Caller,
  { slug, type }: Session,
  { text, since, lagMs = OUTPUT_LAG_MS }: { text: string; since: string; lagMs?: number },
): Promise<Printed | null> {
  if (type !== 'screen' || !text.startsWith('/')) return null;
  const from = Date.parse(since) / 1_000;
  for (let round = 0; ; round += 1) {
    const { events } = await client.call('transcript', { params: { slug }, query: {} });
    const later = events.filter(({ timestamp }) => timestamp >= from);
    const printed = later.map(({ event }) => printedText(event)).filter((words) => words !== '');
    const isWritten = printed.length > 0 || later.some(({ event }) => JSON.stringify(event).includes(OUTPUT));
    if (isWritten) {
      const words = printed.join('\n').trim();
      const hasCompacted = COMPACTED.test(words) || later.some(({ event }) => event.subtype === 'compact_boundary');
      const hasFailed = later.some(({ event }) => isCommandError(event)) || (isCompaction(text) && !hasCompacted);
      return hasFailed ? { text: '', failure: cleanLine(words) } : { text: words, failure: null };
    }
    const warnings = later.map(({ event }) => warningText(event)).filter((words) => words !== '');
    if (warnings.length > 0) return { text: '', failure: warnings.join(' ') };
    if (round >= lagMs / ASK_AGAIN_MS) return null;
    const { view } = await client.call('getSession', { params: { slug } });
    if (view !== undefined) return { text: '', failure: null };
    await delay(ASK_AGAIN_MS);
  }
}
