import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { CatalogueError, type FILE_ROUTES } from '../../protocol/index.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionFiles } from './session-files.ts';

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
 * Locks the body only when the first chunk is read, because `answerBeforeRest` in `http/` cannot read a body that a
 * refusal has left locked.
 */
async function* chunksOf(body: NodeReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  // If reading stops early, the connection must stay open, because the error still has to be sent over it.
  yield* body.values({ preventCancel: true });
}
