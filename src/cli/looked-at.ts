import { CatalogueError, type Session } from '../protocol/index.ts';
import { type CliContext, isInteractive } from './context.ts';

/**
 * Reports that a user has seen a session as shown here. Output that a script reads does not count, and neither does an
 * agent that looks at a session. The server refuses such a report from an agent, and the command ignores the refusal.
 */
export async function markLookedAt(context: CliContext, { slug, unread, news }: Session): Promise<void> {
  // The session's own machine records what people there have seen.
  if (!isInteractive(context.io) || unread !== true || slug.includes('/')) return;
  const client = await context.client();
  try {
    await client.call('markSeen', { params: { slug }, body: { news } });
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
  }
}
