import type { DeliveryPhase, ErrorCode, Question, Status } from '../../protocol/index.ts';
import { type Cover, describeTool } from '../status/index.ts';
import { coverOf, draftOf, isReady, type Seen } from './seen.ts';
import { leftoversOf, leftToEnter } from './standing.ts';

/** What is known of a session at the moment a text wants to be typed into it. */
export interface DeliveryContext {
  status: Pick<Status, 'primary' | 'detail' | 'question'>;
  /** false: only observed, CBOS may not type into it */
  adopted: boolean;
  /**
   * whose text stands in the prompt unsent, null where none does: CBOS may take out what it typed `itself` (after a crash, behind
   * a dialog), never what `somebody` typed
   */
  draft: 'own' | 'foreign' | null;
  /** whether a text is held that was typed before and came back: what is sent now comes after it */
  hasReturned: boolean;
  /** whether an interrupt keeps what waits from being sent: a text for the queue joins it, one that is meant for now does not */
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

export type DeliveryDecision =
  /** type it now; `confirm` says what will show that Claude Code took it */
  | { kind: 'type'; confirm: 'turn' | 'queue' }
  /** keep it until the session is ready */
  | { kind: 'hold' }
  | { kind: 'refuse'; code: ErrorCode; message: string; hint?: string; question: Question | null };

/**
 * Whether a text may go to a session now. Text for a prompt must never land in a dialog, and a text that Claude Code would
 * take for a command must be meant as one.
 */
export function decideDelivery(context: DeliveryContext, request: DeliveryRequest): DeliveryDecision {
  const { primary, question } = context.status;
  if (!context.adopted) return refuse('not_adopted', 'CBOS only observes this session');
  if (!request.command && isCommand(request.text)) {
    const what = request.text.startsWith('!') ? 'run a shell command' : 'run a slash command';
    return refuse('command_prefix', `A text that starts with "${request.text.charAt(0)}" would ${what}`);
  }
  if (primary === 'dead') {
    return refuse(
      'not_accepting_text',
      'The session has ended',
      '`cbos restart SLUG` brings it back on its conversation',
    );
  }
  if (request.force) return { kind: 'type', confirm: 'turn' };
  // Nothing is known yet: mostly a session that is starting. A held text is typed once the prompt is there, never into a dialog.
  if (primary === null) return { kind: 'hold' };
  if (context.isQueueStopped && request.queue) return { kind: 'hold' };
  if (context.isUnread) {
    if (request.queue) return { kind: 'hold' };
    return refuse(
      'not_accepting_text',
      'The session has not read what was typed before',
      'Wait till it goes on (`cbos attach SLUG` shows what it does), or let CBOS hold the text (--queue)',
    );
  }
  if (context.cover !== null) {
    if (request.queue) return { kind: 'hold' };
    const [message, cure] = COVERS[context.cover];
    const hint = `${cure} there (\`cbos attach SLUG\`), or let CBOS hold the text (--queue)`;
    return { ...refuse('not_accepting_text', message, hint), question };
  }
  if (primary === 'waiting' && question?.kind !== 'closing') {
    const hint = 'Answer it first (`cbos answer SLUG`); `cbos show SLUG` lists the options';
    return { ...refuse('not_accepting_text', question === null ? 'A dialog is open' : asks(question), hint), question };
  }
  const isRunning = primary === 'active' || primary === 'stuck';
  if (isRunning && request.queue) return { kind: 'hold' };
  if (context.draft === 'foreign') {
    if (request.queue) return { kind: 'hold' };
    return refuse(
      'not_accepting_text',
      'Somebody has begun to type a text in the prompt',
      'Send or clear it there first (`cbos attach`), or let CBOS hold the text (--queue)',
    );
  }
  if (context.hasReturned) return { kind: 'hold' };
  if (!isRunning) return { kind: 'type', confirm: 'turn' };
  // It cannot be taken out while a turn runs (the same key would interrupt that), and is held itself: this one comes after it.
  return context.draft === 'own' ? { kind: 'hold' } : { kind: 'type', confirm: 'queue' };
}

/** A permission in a word: its dialog begins with "Bash command", and the command comes later. */
function asks({ kind, tool, text }: Question): string {
  const what = kind === 'permission' && tool !== null ? describeTool(tool) : text.split('\n', 1)[0];
  return `It asks: ${what}`;
}

/** What is said of each, and how a person ends it. */
const COVERS: Readonly<Record<Cover, readonly [message: string, cure: string]>> = {
  transcript: ['The detailed transcript covers the prompt', 'Close it with ctrl+o or Esc'],
  view: ['A view of Claude Code covers the prompt', 'Close it with Esc'],
  shell: ['The prompt is in shell mode: the text would run as a command', 'Leave that mode with Backspace'],
  search: ['Old prompts are being searched: Enter would send one of them again', 'End the search with Esc'],
  agents: ['The list of agents is shown: the text would begin a session of its own', 'Go back with Esc'],
  unknown: ['Something that CBOS does not know covers the prompt', 'Close it'],
};

/** Whether a held text may be typed now. */
export function mayTypeHeld(context: DeliveryContext): boolean {
  if (!context.adopted || context.isUnread || context.cover !== null || context.draft === 'foreign') return false;
  return isReady(context.status);
}

/** Whether Claude Code would take the text for a shell or slash command. */
export function isCommand(text: string): boolean {
  return text.startsWith('!') || text.startsWith('/');
}

function refuse(code: ErrorCode, message: string, hint?: string): Extract<DeliveryDecision, { kind: 'refuse' }> {
  return { kind: 'refuse', code, message, question: null, ...(hint === undefined ? {} : { hint }) };
}
