import type { Caller } from '../client/index.ts';
import { CatalogueError, type Session } from '../protocol/index.ts';
import { cleanBlock } from '../text/terminal-text.ts';

/**
 * What a session answered with the turn that is over, made harmless for a terminal; empty where nobody said it: an
 * adopted session has no hooks. Of a session in a terminal at most the last 4,000 characters, which its hook keeps.
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
