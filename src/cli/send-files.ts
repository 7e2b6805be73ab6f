import type { Caller, FileToUpload } from '../client/index.ts';
import {
  CatalogueError,
  type Delivery,
  ERRORS,
  EXIT,
  fileTooLarge,
  type RouteInput,
  type StoredFile,
} from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { openLocalFile } from './local-file.ts';

interface Sending {
  slug: string;
  body: RouteInput<'send'>['body'];
}

/**
 * Opens files on this machine in order to send them to a session.
 * @returns a function that stores the files alongside the session and then sends a prompt that mentions them
 * @throws CommandError if one of the paths is not a file, or if a file is empty or cannot be read; in this case,
 * nothing is sent
 * @throws CatalogueError file_too_large
 */
export async function openToSend(
  client: Caller,
  sending: Sending & { paths: readonly string[]; cwd: string },
): Promise<() => Promise<Delivery>> {
  const files = await Promise.all(sending.paths.map((path) => openLocalFile(path, sending.cwd)));
  await requireSmall(client, sending.slug, files);
  return () => sendWithFiles(client, sending, files);
}

/** The server refuses a file that is too large, too, but many gigabytes may be on their way by then. */
async function requireSmall(client: Caller, slug: string, files: readonly FileToUpload[]): Promise<void> {
  const { max_file_size: most } = await client.call('health');
  const large = most === undefined ? undefined : files.find(({ sizeBytes }) => sizeBytes > most);
  if (most === undefined || large === undefined) return;
  // The error about a session that does not exist, or is on another machine, is of more use.
  await client.call('listFiles', { params: { slug } });
  throw fileTooLarge(most, large.sizeBytes, cleanLine(large.name));
}

/** If the server refuses the prompt, delete the files again, because the next attempt will store them anew. */
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

/**
 * If the prompt was refused, it was certainly not sent. After any other failure, the session may already be reading the
 * files.
 */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof CatalogueError)) return false;
  const exit: number = ERRORS[cause.code].exit;
  return exit === EXIT.refused || exit === EXIT.usage;
}

async function remove(client: Caller, slug: string, files: readonly StoredFile[]): Promise<void> {
  for (const { id } of files) {
    // Ignore this failure, because the user mainly needs to know that the prompt was refused. A file that could not be
    // deleted still appears in the list.
    await client.call('removeFile', { params: { slug, id } }).catch(() => undefined);
  }
}
