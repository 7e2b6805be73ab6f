import { type Signal, signal } from '@preact/signals';
import { CatalogueError, MOST_FILES_SENT } from '../../protocol/index.ts';
import { client, noticeRefusal } from '../connection/fleet.ts';
import { type Upload, uploadFile } from '../connection/upload.ts';
import { tell } from '../parts/toasts.tsx';

/** A file that the next prompt to a session will mention. */
export interface Attached {
  key: number;
  name: string;
  size: number;
  state: { at: 'sending'; part: number } | { at: 'stored'; id: string } | { at: 'failed'; why: string };
}

/**
 * The size up to which a file travels in one piece. The server may have stored such a file before the browser reports
 * that anything was sent.
 */
const ONE_PIECE_BYTES = 65_536;

const lists = new Map<string, Signal<readonly Attached[]>>();
const uploads = new Map<number, Upload>();
let lastKey = 0;

/** Returns the files for a session's next prompt. They are kept while the user views another session. */
export function attachedTo(slug: string): Signal<readonly Attached[]> {
  const known = lists.get(slug);
  if (known !== undefined) return known;
  const fresh = signal<readonly Attached[]>([]);
  lists.set(slug, fresh);
  return fresh;
}

/** Starts to upload files, so that they are already stored when the user has finished writing the prompt. */
export function attach(slug: string, files: readonly File[]): void {
  const list = attachedTo(slug);
  const room = MOST_FILES_SENT - list.value.length;
  if (files.length > room) tell(`A prompt can include at most ${MOST_FILES_SENT} files`);
  for (const file of files.slice(0, room)) {
    const key = ++lastKey;
    const become = (state: Attached['state']): void => {
      list.value = list.value.map((one) => (one.key === key ? { ...one, state } : one));
    };
    list.value = [...list.value, { key, name: file.name, size: file.size, state: { at: 'sending', part: 0 } }];
    const upload = uploadFile(slug, file, (part) => become({ at: 'sending', part }));
    uploads.set(key, upload);
    upload.stored
      .then(({ id }) => become({ at: 'stored', id }))
      .catch((error: unknown) => {
        noticeRefusal(error);
        become({ at: 'failed', why: whyOf(error) });
      })
      .finally(() => uploads.delete(key));
  }
}

function whyOf(error: unknown): string {
  if (error instanceof CatalogueError) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Removes a file from the next prompt, and deletes the stored copy. An upload that is almost over is not cancelled,
 * because the server may have stored the file already, and only its response names the copy.
 */
export function detach(slug: string, { key, size }: Attached): void {
  const list = attachedTo(slug);
  const state = list.value.find((one) => one.key === key)?.state;
  list.value = list.value.filter((one) => one.key !== key);
  const upload = uploads.get(key);
  if (state?.at === 'sending' && state.part < 1 && size > ONE_PIECE_BYTES) {
    upload?.abort();
    return;
  }
  const remove = (id: string): void => {
    // If this fails, the copy remains in the session's list of files, where the user can delete it.
    client.call('removeFile', { params: { slug, id } }).catch(noticeRefusal);
  };
  if (state?.at === 'stored') remove(state.id);
  // If the upload fails, there is no copy, and `attach` reports the failure.
  else upload?.stored.then(({ id }) => remove(id)).catch(() => undefined);
}

/** Empties all lists when the user signs out, so that no one else can see the files' names. */
export function clearAttached(): void {
  for (const upload of uploads.values()) upload.abort();
  for (const list of lists.values()) list.value = [];
}

/** Empties the list of files after they have been sent. */
export function forgetAttached(slug: string): void {
  attachedTo(slug).value = [];
}
