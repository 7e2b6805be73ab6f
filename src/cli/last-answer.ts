import type { Caller } from '../client/index.ts';
import { CatalogueError, type Session } from '../protocol/index.ts';
import { cleanBlock } from '../text/terminal-text.ts';

/**
 * Returns a session's answer in its last turn, made safe for a terminal. Empty if no source reports it, which is always
 * so for an adopted session, because it has no hooks. For a terminal session, the answer is at most the last 4,000
 * characters, because its hook stores no more.
 */
export async function lastAnswer(client: Caller, { slug, type }: Session): Promise<string> {
  const params = { slug };
  try {
    const text =
      type === 'json'
        ? (await client.call('lastResponse', { params })).text
        : (await client.call('explain', { params })).evidence.hooks?.turn_end?.message;
    return cleanBlock(text ?? '').trim();
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'no_response') return '';
    throw error;
  }
}
