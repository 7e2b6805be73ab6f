import { type DeliveryPhase, isAsking, isReady, type Question, type Status } from '../../protocol/index.ts';
import { type Cover, describeTool } from '../status/index.ts';
import { coverOf, draftOf, type Seen } from './seen.ts';
import { leftoversOf, leftToEnter } from './standing.ts';

/** What is known of a session at the moment a text wants to be typed into it. */
export interface DeliveryContext {
  status: Pick<Status, 'primary' | 'detail' | 'question'>;
  /** false: only observed, CBOS may not type into it */
  adopted: boolean;
  /** whose text is in the prompt, unsent: CBOS may take out its `own`, never a `foreign` one */
  draft: 'own' | 'foreign' | null;
  /** whether a text is held that was typed before and came back: what is sent now comes after it */
  hasReturned: boolean;
  /** whether an interrupt holds back what waits: a text for the queue joins it, one that is meant for now does not */
  isQueueStopped: boolean;
  /** whether the session has not read what was typed last: two texts that it reads in one piece become one prompt */
  isUnread: boolean;
  /** what has the keys in the prompt's place, null where nothing does */
  cover: Cover | null;
}

/** Held, and typed before: what is sent now comes after it. */
const RETURNED: ReadonlySet<DeliveryPhase> = new Set(['put_back', 'taken_out', 'resumed']);

/** What is seen, as delivery decides by it. */
export function contextOf(seen: Seen): DeliveryContext {
  const { status, isAdopted: adopted, isQueueStopped, isUnread, deliveries } = seen;
  const draft = draftOf(seen) === null ? null : leftoversOf(seen) === null ? 'foreign' : 'own';
  const hasReturned =
    (!isQueueStopped && deliveries.queued.some(({ phase }) => RETURNED.has(phase))) ||
    (draft === 'own' && leftToEnter(seen) !== null);
  return { status, adopted, draft, hasReturned, isQueueStopped, isUnread, cover: coverOf(seen) };
}

export interface DeliveryRequest {
  text: string;
  command: boolean;
  force: boolean;
  queue: boolean;
}

/** Why a text must not be sent. */
export type RefusalReason =
  | 'not_adopted'
  | 'shell_command'
  | 'slash_command'
  | 'ended'
  | 'unread'
  | 'asking'
  | 'draft'
  | `covered_by_${Cover}`;

export type DeliveryDecision =
  /** type it now; `confirm` says what will show that Claude Code took it */
  | { kind: 'type'; confirm: 'turn' | 'queue' }
  /** CBOS keeps it until the session is ready */
  | { kind: 'hold' }
  | { kind: 'refuse'; why: RefusalReason; question: Question | null };

/**
 * Whether a text may go to a session now. Text for a prompt must never land in a dialog, and a text that Claude Code
 * would take for a command must be meant as one.
 */
export function decideDelivery(context: DeliveryContext, request: DeliveryRequest): DeliveryDecision {
  const { primary, question } = context.status;
  const refuse = (why: RefusalReason): DeliveryDecision => ({ kind: 'refuse', why, question: null });
  const holdOr = (refusal: DeliveryDecision): DeliveryDecision => (request.queue ? { kind: 'hold' } : refusal);
  if (!context.adopted) return refuse('not_adopted');
  if (!request.command && isCommand(request.text)) {
    return refuse(request.text.startsWith('!') ? 'shell_command' : 'slash_command');
  }
  if (primary === 'dead') return refuse('ended');
  if (request.force) return { kind: 'type', confirm: 'turn' };
  // Nothing is known yet: mostly a session that is starting. A held text is typed once the prompt is there.
  if (primary === null) return { kind: 'hold' };
  if (context.isQueueStopped && request.queue) return { kind: 'hold' };
  if (context.isUnread) return holdOr(refuse('unread'));
  if (context.cover !== null) return holdOr({ kind: 'refuse', why: `covered_by_${context.cover}`, question });
  if (isAsking({ primary, question })) return { kind: 'refuse', why: 'asking', question };
  const isRunning = primary === 'active' || primary === 'stuck';
  if (isRunning && request.queue) return { kind: 'hold' };
  if (context.draft === 'foreign') return holdOr(refuse('draft'));
  if (context.hasReturned) return { kind: 'hold' };
  if (!isRunning) return { kind: 'type', confirm: 'turn' };
  // What CBOS left there cannot be taken out while a turn runs: the same key would interrupt that. This one comes after
  // it.
  return context.draft === 'own' ? { kind: 'hold' } : { kind: 'type', confirm: 'queue' };
}

/** What a question asks, in a line. A permission's dialog begins with "Bash command", and the command comes later. */
export function askedFor({ kind, tool, text }: Question): string {
  return kind === 'permission' && tool !== null ? describeTool(tool) : (text.split('\n', 1)[0] ?? '');
}

/** Whether a held text may be typed now. */
export function mayTypeHeld(context: DeliveryContext): boolean {
  if (!context.adopted || context.isUnread || context.cover !== null || context.draft === 'foreign') return false;
  return isReady(context.status);
}

/** Whether Claude Code would take the text for a shell or slash command. */
export function isCommand(text: string): boolean {
  return text.startsWith('!') || text.startsWith('/');
}
