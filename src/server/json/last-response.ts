import { CatalogueError, type ClaudeEvent, type LastResponse, type StoredEvent } from '../../protocol/index.ts';
import { hasSucceeded, outcomeOf } from '../../text/event-text.ts';
import type { SessionActor } from '../session/actor.ts';
import { toTimestamp } from '../session/view.ts';

/**
 * How many `result` events are searched for one of a turn that answered. The results of failed and interrupted turns
 * contain no text.
 */
const LOOKED_THROUGH = 50;

/**
 * @param delivery the prompt whose answer is meant; if omitted, the last answer of any turn
 * @throws CatalogueError no_response
 */
export function lastResponse(actor: SessionActor, delivery?: string): LastResponse {
  const {
    deps: { events },
    record: { id },
    slug,
  } = actor;
  const results = events.newest(id, ['result'], LOOKED_THROUGH);
  const messages = results.some(({ event }) => isWithoutText(event))
    ? events.newest(id, ['assistant'], LOOKED_THROUGH)
    : [];
  const found = results
    .map((result, index) => answerOf(result, messagesOf(messages, results[index - 1], result)))
    .filter((answer) => answer !== null && (delivery === undefined || mayAnswer(answer.result.event, delivery)))
    .at(-1);
  if (found === undefined || found === null)
    throw new CatalogueError('no_response', `${slug} has not completed a turn yet, so it has no answer`);
  const { text, error, result } = found;
  const { duration_ms } = result.event;
  const at = Math.round(result.timestamp * 1_000);
  return {
    text,
    cost_usd: events.turns(id).find((turn) => turn.at === at)?.cost_usd ?? null,
    duration_ms: typeof duration_ms === 'number' ? duration_ms : null,
    at: toTimestamp(at),
    ...(error === null ? {} : { error }),
  };
}

/**
 * Reports whether a result contains no text, although the model may have answered. This is so if a limit of the user's
 * own ended the turn, `--max-budget-usd` or `--max-turns`, if one of the user's own Stop hooks printed both `continue:
 * false` and `decision: "block"`, or if Claude Code overruled a Stop hook that blocked nine times (2.1.330).
 */
const isWithoutText = (event: ClaudeEvent): boolean =>
  (typeof event.subtype === 'string' && event.subtype.startsWith('error_max_')) ||
  (event.result === '' && hasSucceeded(event));

/**
 * Reports whether a result may be the one of a prompt. Since 2.1.330, Claude Code names the prompts of a turn. The turn
 * that the end of an agent begins has none.
 */
function mayAnswer({ origin, user_message_uuids: prompts }: ClaudeEvent, delivery: string): boolean {
  if (Array.isArray(prompts)) return prompts.includes(delivery);
  return (origin as { kind?: unknown } | undefined)?.kind !== 'task-notification';
}

type Answer = Pick<LastResponse, 'text'> & { error: string | null; result: StoredEvent };

function answerOf(result: StoredEvent, messages: readonly StoredEvent[]): Answer | null {
  const { event } = result;
  const isSuccess = hasSucceeded(event);
  if (isWithoutText(event)) {
    const text = messages.map((message) => textOf(message.event)).findLast((one) => one !== '');
    if (text === undefined) return isSuccess ? { text: '', error: null, result } : null;
    return { text, error: isSuccess ? null : outcomeOf(event), result };
  }
  return typeof event.result === 'string' && isSuccess ? { text: event.result, error: null, result } : null;
}

function messagesOf(messages: readonly StoredEvent[], before: StoredEvent | undefined, result: StoredEvent) {
  return messages.filter(({ seq }) => seq < result.seq && seq > (before?.seq ?? 0));
}

/** Returns what the conversation itself said in a message; subagents do not answer the user. */
function textOf({ parent_tool_use_id: parent, message }: ClaudeEvent): string {
  const content: unknown = (message as { content?: unknown } | undefined)?.content;
  if (typeof parent === 'string' || !Array.isArray(content)) return '';
  return content
    .map((block: { type?: unknown; text?: unknown }) =>
      block.type === 'text' && typeof block.text === 'string' ? block.text : '',
    )
    .join('');
}
