import type { Caller, FileToUpload } from '../client/index.ts';
import { CatalogueError, type Delivery, ERRORS, EXIT, type RouteInput, type StoredFile } from '../protocol/index.ts';
import { openLocalFile } from './local-file.ts';

interface Sending {
  slug: string;
  body: RouteInput<'send'>['body'];
}

/**
 * Opens files on this machine for a session.
 * @returns a function that stores them alongside the session, then sends a prompt that mentions them
 * @throws CommandError if one is not a file, is empty, or cannot be read; nothing is sent then
 */
export async function openToSend(
  client: Caller,
  sending: Sending & { paths: readonly string[]; cwd: string },
): Promise<() => Promise<Delivery>> {
  const files = await Promise.all(sending.paths.map((path) => openLocalFile(path, sending.cwd)));
  return () => sendWithFiles(client, sending, files);
}

/** If the server refuses the prompt, the files are deleted again, because the next attempt stores them anew. */
async function sendWithFiles(
  client: Caller,
  { slug, body }: Sending,
  files: readonly FileToUpload[],
): Promise<Delivery> {
  const stored: StoredFile[] = [];
  try {
    for (const file of files) stored.push(await client.upload(slug, file));
    return await client.call('send', { params: { slug }, body: { ...body, files: stored.map(({ id }) => id) } });
  } catch (cause) {
    if (isRefusal(cause)) await remove(client, slug, stored);
    throw cause;
  }
}

/** A refused prompt was certainly not sent. After any other failure, the session may be reading the files. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof CatalogueError)) return false;
  const exit: number = ERRORS[cause.code].exit;
  return exit === EXIT.refused || exit === EXIT.usage;
}

async function remove(client: Caller, slug: string, files: readonly StoredFile[]): Promise<void> {
  for (const { id } of files) {
    // What the user has to know is that the prompt was refused. A file that could not be deleted is in the list.
    await client.call('removeFile', { params: { slug, id } }).catch(() => undefined);
  }
}
