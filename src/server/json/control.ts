import { v4 as uuid } from 'uuid';
import { readElicitation } from '../../core/forms/index.ts';
import { CatalogueError, type ClaudeEvent } from '../../protocol/index.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How long to wait for the answer to a control request. Usually, the answer takes about 10 ms. If Claude Code is still
 * starting, it answers only after the start.
 */
const CONTROL_TIMEOUT_MS = 15_000;

export type ControlRequest = { subtype: string } & Record<string, unknown>;

/** What is needed to send a control request to a Claude Code process and to wait for the answer. */
interface Controlled {
  write(message: object): Promise<void>;
  onEvent(listener: (event: ClaudeEvent) => void): Dispose;
  isRunning(): boolean;
  until(condition: () => boolean, timeoutMs: number): Promise<boolean>;
}

/** @throws CatalogueError not_confirmed if Claude Code refuses or does not answer */
export async function control(claude: Controlled, request: ControlRequest): Promise<void> {
  const requestId = uuid();
  let response: Record<string, unknown> | null = null;
  const stop = claude.onEvent((event) => {
    const body = event.response as Record<string, unknown> | undefined;
    if (event.type === 'control_response' && body?.request_id === requestId) response = body;
  });
  try {
    await claude.write({ type: 'control_request', request_id: requestId, request });
    const answered = await claude.until(() => response !== null || !claude.isRunning(), CONTROL_TIMEOUT_MS);
    const { subtype, error } = (response ?? {}) as { subtype?: unknown; error?: unknown };
    if (answered && subtype === 'success') return;
    const why = typeof error === 'string' ? `: ${error}` : '';
    throw new CatalogueError('not_confirmed', `Claude Code rejected the request ${request.subtype}${why}`);
  } finally {
    stop();
  }
}

/**
 * Returns the replies that refuse all requests from Claude Code except those that a person answers: permission requests
 * and the forms of MCP servers. CBOS registers no hooks or
 * MCP servers of its own, so it has nothing to answer, but without a reply Claude Code would wait forever.
 */
export function refusals({ type, request, request_id }: ClaudeEvent): object[] {
  if (type !== 'control_request') return [];
  const asked = (request ?? {}) as Record<string, unknown>;
  const { subtype } = asked;
  if (subtype === 'can_use_tool' || (subtype === 'elicitation' && readElicitation(asked) !== null)) return [];
  const error = `CBOS does not support ${String(subtype)}`;
  return [{ type: 'control_response', response: { subtype: 'error', request_id, error } }];
}
