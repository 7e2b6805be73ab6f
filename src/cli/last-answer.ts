import { lastWords } from '../client/compare.ts';
import type { Caller } from '../client/index.ts';
import type { Session } from '../protocol/index.ts';
import { cleanBlock } from '../text/terminal-text.ts';

/**
 * Returns a session's answer in its last turn, made safe for a terminal, or an empty string if no source reports the
 * answer.
 */
export async function lastAnswer(client: Caller, session: Session): Promise<string> {
  return cleanBlock(await lastWords(client, session)).trim();
}
