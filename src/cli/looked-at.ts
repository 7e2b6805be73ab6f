import { CatalogueError, type Session } from '../protocol/index.ts';
import { type CliContext, isInteractive } from './context.ts';

/**
 * Tells the server that the user has seen a session as it is shown here. Output that a script reads does not count. Nor
 * does a look by an agent: the server refuses an agent's report, and the command ignores the refusal.
 */
export async function markLookedAt(context: CliContext, { slug, unread, news }: Session): Promise<void> {
  // Only the machine that the session runs on records who has seen the session.
  if (!isInteractive(context.io) || unread !== true || slug.includes('/')) return;
  const client = await context.client();
  try {
    await client.call('markSeen', { params: { slug }, body: { news } });
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
  }
}
