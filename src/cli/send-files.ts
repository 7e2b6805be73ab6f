import type { Caller, FileToUpload } from '../client/index.ts';
import { CatalogueError, type Delivery, ERRORS, EXIT, type RouteInput, type StoredFile } from '../protocol/index.ts';

export type SendBody = RouteInput<'send'>['body'];

/**
 * Stores files beside a session, then sends a prompt that mentions them. If the server refuses the prompt, the files
 * are deleted again, because the next attempt stores them again.
 */
export async function sendWithFiles(
  client: Caller,
  { slug, body, files }: { slug: string; body: SendBody; files: readonly FileToUpload[] },
): Promise<Delivery> {
  if (files.length === 0) return client.call('send', { params: { slug }, body });
  const stored: StoredFile[] = [];
  try {
    for (const file of files) stored.push(await client.upload(slug, file));
    return await client.call('send', { params: { slug }, body: { ...body, files: stored.map(({ id }) => id) } });
  } catch (cause) {
    if (isRefusal(cause)) await remove(client, slug, stored);
    throw cause;
  }
}

/** A refused text was certainly not sent. After any other failure, the session may be reading the files. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof CatalogueError)) return false;
  const exit: number = ERRORS[cause.code].exit;
  return exit === EXIT.refused || exit === EXIT.usage;
}

async function remove(client: Caller, slug: string, files: readonly StoredFile[]): Promise<void> {
  for (const { id } of files) {
    // The refusal of the prompt is what the person has to know. A file that stays is in the list.
    await client.call('removeFile', { params: { slug, id } }).catch(() => undefined);
  }
}
