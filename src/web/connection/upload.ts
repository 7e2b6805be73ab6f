import { ConnectionLostError, errorFromResponse, errorFromTransport } from '../../client/index.ts';
import { ADDRESSES, PASS_HEADER, type StoredFile } from '../../protocol/index.ts';
import { dropPass, pass } from './pass.ts';

export interface Upload {
  /** @throws CatalogueError */
  stored: Promise<StoredFile>;
  /** Cancels the upload. The server then discards what it has received. */
  abort(): void;
}

/**
 * Stores a file alongside a session. The browser reads the file from disk while sending it, and reports the progress,
 * which is not possible with `fetch`.
 * @param onPart called with the fraction that has been sent, from 0 to 1
 */
export function uploadFile(slug: string, file: File, onPart: (part: number) => void): Upload {
  const aborted = new AbortController();
  const path = `${ADDRESSES.uploadFile.path.replace('{slug}', slug)}?name=${encodeURIComponent(file.name)}`;
  return { stored: send({ path, file, onPart, signal: aborted.signal }), abort: () => aborted.abort() };
}

interface Sending {
  path: string;
  file: File;
  onPart: (part: number) => void;
  signal: AbortSignal;
}

async function send(sending: Sending): Promise<StoredFile> {
  try {
    for (let attempt = 1; ; attempt += 1) {
      const used = pass();
      const { status, text } = await sendOnce(sending, await used);
      if (status === 201) return JSON.parse(text) as StoredFile;
      // As with any other request, the pass may have expired. The server has not acted on the request.
      if (status !== 401 || attempt > 1) throw errorFromResponse(status, text);
      dropPass(used);
    }
  } catch (cause) {
    throw errorFromTransport(cause);
  }
}

function sendOnce({ path, file, onPart, signal }: Sending, shown: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (): void => reject(new ConnectionLostError('the connection was closed during the upload'));
    request.open('POST', path);
    request.setRequestHeader(PASS_HEADER, shown);
    request.setRequestHeader('content-type', file.type === '' ? 'application/octet-stream' : file.type);
    request.upload.onprogress = ({ loaded, total }) => onPart(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = fail;
    request.onabort = fail;
    signal.addEventListener('abort', () => request.abort());
    if (signal.aborted) fail();
    else request.send(file);
  });
}
