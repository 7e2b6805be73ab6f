import { type DeliveryPhase, isAsking, isLimited, isReady, type Question, type Status } from '../../protocol/index.ts';
import { type Cover, describeTool } from '../status/index.ts';
import { type Conversed, coverOf, draftOf, isDialogNew, type Seen } from './seen.ts';
import { leftoversOf, leftToEnter } from './standing.ts';

/** What CBOS knows about a session before it types a message. */
export interface DeliveryContext {
  status: Pick<Status, 'primary' | 'detail' | 'question'>;
  /** false if the session is only observed, which means that CBOS may not type into it */
  adopted: boolean;
  /** whether CBOS has parked the session; if so, CBOS holds the message, and the message wakes the session */
  isParked: boolean;
  /** who typed the unsent text in the prompt; CBOS may remove its `own` text, but never `foreign` text */
  draft: 'own' | 'foreign' | null;
  /** whether CBOS holds a message that was typed before and came back; new messages wait behind it */
  hasReturned: boolean;
  /**
   * whether the queue is paused after an interrupt; if so, a message for the queue waits in it, but a message that is
   * to be sent immediately does not
   */
  isQueueStopped: boolean;
  /**
   * whether one of the session's budgets is used up; CBOS then holds every message until the budget is raised or its
   * day is over
   */
  isOverBudget: boolean;
  /**
   * whether the session has yet to read the text that was typed last; two messages that the session reads together
   * become one prompt
   */
  isUnread: boolean;
  /** whether the message would become part of the conversation that it is meant for */
  conversed: Conversed;
  /** whether a binding of the user's keeps Enter from submitting the prompt */
  isEnterBound: boolean;
  /** what receives the keypresses instead of the prompt, or null if nothing does */
  cover: Cover | null;
  /** whether the screen shows a dialog, or a view that looks like one, that the status does not know yet */
  isDialogNew: boolean;
}

/** The phases of held messages that were already typed once. New messages wait behind these. */
const RETURNED: ReadonlySet<DeliveryPhase> = new Set(['put_back', 'taken_out', 'resumed']);

/** Collects the facts that determine how to deliver a message. */
export function contextOf(seen: Seen): DeliveryContext {
  const { status, isAdopted: adopted, isParked, isQueueStopped, isOverBudget, isUnread, conversed, deliveries } = seen;
  const draft = draftOf(seen) === null ? null : leftoversOf(seen) === null ? 'foreign' : 'own';
  const hasReturned =
    (!isQueueStopped && deliveries.queued.some(({ phase }) => RETURNED.has(phase))) ||
    (draft === 'own' && leftToEnter(seen) !== null);
  const stops = { isQueueStopped, isOverBudget, isUnread, conversed, isEnterBound: (seen.enterDoes ?? null) !== null };
  const obstacles = { hasReturned, cover: coverOf(seen), isDialogNew: isDialogNew(seen) };
  return { status, adopted, isParked, draft, ...stops, ...obstacles };
}

export interface DeliveryRequest {
  text: string;
  command: boolean;
  force: boolean;
  queue: boolean;
}

/** Why CBOS must not send a message. */
export type RefusalReason =
  | 'not_adopted'
  | 'shell_command'
  | 'slash_command'
  | 'ended'
  | 'another_conversation'
  | 'unread'
  | 'enter_bound'
  | 'asking'
  | 'draft'
  | `covered_by_${Cover}`;

export type DeliveryDecision =
  /** type the text now; `confirm` is the sign that shows that Claude Code took the text */
  | { kind: 'type'; confirm: 'turn' | 'queue' }
  /** CBOS holds the text until the session is ready */
  | { kind: 'hold' }
  | { kind: 'refuse'; why: RefusalReason; question: Question | null };

/**
 * Decides whether CBOS may send a message to a session now. Text meant for the prompt must never reach a dialog. CBOS
 * sends a message that Claude Code would interpret as a command only if the sender intends it as one.
 */
export function decideDelivery(context: DeliveryContext, request: DeliveryRequest): DeliveryDecision {
  const { primary, question } = context.status;
  const refuse = (why: RefusalReason): DeliveryDecision => ({ kind: 'refuse', why, question: null });
  const holdOr = (refusal: DeliveryDecision): DeliveryDecision => (request.queue ? { kind: 'hold' } : refusal);
  if (!context.adopted) return refuse('not_adopted');
  if (!request.command && isCommand(request.text)) {
    return refuse(request.text.startsWith('!') ? 'shell_command' : 'slash_command');
  }
  if (context.isParked) return { kind: 'hold' };
  if (primary === 'dead') return refuse('ended');
  if (context.conversed === 'another') return holdOr(refuse('another_conversation'));
  // Even with force, nothing would submit the text. CBOS does not hold it either, because nothing reports when the user
  // has changed the binding.
  if (context.isEnterBound && !isAsking(context.status)) return refuse('enter_bound');
  if (request.force) return { kind: 'type', confirm: 'turn' };
  // The state is still unknown, usually because the session is starting. CBOS types a held message as soon as the
  // prompt appears.
  if (primary === null) return { kind: 'hold' };
  if (context.conversed === 'awaited' && !isAsking(context.status)) return { kind: 'hold' };
  if (context.isQueueStopped && request.queue) return { kind: 'hold' };
  // The dialog is checked first, because pausing the queue does not affect dialogs, and because the answer to a dialog
  // is not a message.
  if (context.isOverBudget && !isAsking(context.status)) return { kind: 'hold' };
  if (context.isUnread) return holdOr(refuse('unread'));
  if (context.cover !== null) return holdOr({ kind: 'refuse', why: `covered_by_${context.cover}`, question });
  if (isAsking(context.status)) return { kind: 'refuse', why: 'asking', question };
  if (context.isDialogNew) return holdOr(refuse('asking'));
  const isRunning = primary === 'active' || primary === 'stuck';
  // If the message were queued, Claude Code would only report the limit again. A user may still type a command, or a
  // message for another model.
  if ((isRunning || isLimited(context.status)) && request.queue) return { kind: 'hold' };
  if (context.draft === 'foreign') return holdOr(refuse('draft'));
  if (context.hasReturned) return { kind: 'hold' };
  if (!isRunning) return { kind: 'type', confirm: 'turn' };
  // While a turn is running, CBOS cannot remove its own leftover text, because the same key would interrupt the turn.
  // The new message is therefore typed after the leftover text.
  return context.draft === 'own' ? { kind: 'hold' } : { kind: 'type', confirm: 'queue' };
}

/**
 * Returns what a question asks, in one line. The text of a permission dialog begins with "Bash command", so the tool
 * call is used instead.
 */
export function askedFor({ kind, tool, text }: Question): string {
  return kind === 'permission' && tool !== null ? describeTool(tool) : (text.split('\n', 1)[0] ?? '');
}

/** Reports whether CBOS may type a held message now. */
export function mayTypeHeld(context: DeliveryContext): boolean {
  if (!context.adopted || context.isOverBudget || context.isEnterBound) return false;
  if (context.conversed === 'awaited' || context.conversed === 'another') return false;
  if (context.isUnread || context.cover !== null || context.draft === 'foreign') return false;
  if (context.isDialogNew) return false;
  return isReady(context.status) && !isLimited(context.status);
}

/** Reports whether Claude Code would interpret the text as a shell command or a slash command. */
export function isCommand(text: string): boolean {
  return text.startsWith('!') || text.startsWith('/');
}
