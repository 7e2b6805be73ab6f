import { CatalogueError, type Session } from '../protocol/index.ts';
import { type CliContext, isInteractive } from './context.ts';

/**
 * A person has seen a session as it is here. What a script reads nobody has seen, and an agent that reads a session is
 * nobody either: the server refuses it, which is no fault of the command.
 */
export async function markLookedAt(context: CliContext, { slug, unread, news }: Session): Promise<void> {
  // Its own machine keeps what its person has seen.
  if (!isInteractive(context.io) || unread !== true || slug.includes('/')) return;
  const client = await context.client();
  try {
    await client.call('markSeen', { params: { slug }, body: { news } });
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
  }
}
