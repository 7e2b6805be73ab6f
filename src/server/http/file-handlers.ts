import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { CatalogueError, type FILE_ROUTES } from '../../protocol/index.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { Handlers } from './handler-types.ts';

/** Creates the handlers of the routes for stored files. */
export function createFileHandlers(files: SessionFiles): Pick<Handlers, keyof typeof FILE_ROUTES> {
  return {
    uploadFile: async ({ params, query, request }) => {
      const body = request.body as NodeReadableStream<Uint8Array> | null;
      if (body === null) throw new CatalogueError('invalid_request', 'body: the file is empty');
      const { name = '' } = query;
      const type = request.headers.get('content-type');
      const length = request.headers.get('content-length');
      const announcedBytes = length === null ? null : Number(length);
      return files.add(params.slug, { name, type, announcedBytes, bytes: chunksOf(body) });
    },
    listFiles: ({ params }) => files.list(params.slug),
    readFile: async ({ params, request }) => {
      const { file, handle } = await files.open(params.slug, params.id);
      const headers = {
        // The response never declares the file's own type, because a browser could then show the file as a page from
        // this server.
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${file.name}"`,
        'content-length': String((await handle.stat()).size),
      };
      if (request.method === 'HEAD') {
        await handle.close();
        return new Response(null, { headers });
      }
      return new Response(Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array>, { headers });
    },
    removeFile: ({ params }) => files.remove(params.slug, params.id),
  };
}

/**
 * Locks the body only when the first chunk is read, because {@link drain} cannot read a body that a refusal has left
 * locked.
 */
async function* chunksOf(body: NodeReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  // If reading stops early, the connection must stay open, because the error still has to be sent over it.
  yield* body.values({ preventCancel: true });
}

/**
 * How much of a refused body is read: what a client that sends while it waits for the response has on the way, or a
 * whole small file, if the client reads the response only after it has sent the body.
 */
const MOST_DRAINED_BYTES = 16 * 1024 * 1024;

/**
 * Sends the response to a refused upload at once, and then discards the rest of the body before the response ends. If
 * the server closed the connection while the client still sends, the client would report a broken connection instead of
 * the error. The connection of a client that sends more than a small rest is closed.
 */
export async function answerBeforeRest(response: Response, body: Request['body']): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  // With the length, the client knows that the response is complete.
  headers.set('content-length', String(bytes.length));
  const sent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: async (controller) => {
      await drain(body);
      controller.close();
    },
  });
  return new Response(sent, { status: response.status, headers });
}

async function drain(body: Request['body']): Promise<void> {
  let left = MOST_DRAINED_BYTES;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      left -= chunk.length;
      if (left < 0) return;
    }
  } catch {
    // The client has closed the connection.
  }
}
