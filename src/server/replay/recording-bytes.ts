import { openRecorded, type RecordedFile } from '../../platform/recorder/index.ts';
import { CatalogueError } from '../../protocol/index.ts';

/** How many bytes are read from the file at once: as many as the socket's buffer holds. */
const READ_BYTES = 64 * 1024;

/**
 * The header with the offset of the response's first byte. Clients need it, because a recording that has lost its
 * beginning does not begin at 0.
 */
const OFFSET_HEADER = 'cbos-offset';

export interface BytesRequest {
  method: string;
  /** the value of the request's Range header */
  range: string | undefined;
  /**
   * the value of the request's If-Range header; a growing file has no version to compare it with, so a Range header is
   * ignored if If-Range is present
   */
  ifRange: string | undefined;
  /** the byte offset in the file at which the response's content begins */
  from: number;
}

/**
 * Returns a recording's bytes from an offset to its current end, or the requested range of those bytes. Positions in a
 * Range header count from that offset. The file is read at the speed at which the client receives it, and is never held
 * in memory as a whole.
 * @throws CatalogueError range_not_satisfiable, no_recording
 */
export async function recordingBytes(file: string, request: BytesRequest): Promise<Response> {
  const recorded = await openRecorded(file);
  try {
    const size = await recorded.size();
    const from = await beginOf(recorded, request.from);
    if (from > size) {
      throw new CatalogueError('range_not_satisfiable', `The recording has only ${size} bytes, but from is ${from}`);
    }
    const length = size - from;
    const range = request.ifRange === undefined ? parseRange(request.range, length) : null;
    if (range === 'unsatisfiable') {
      throw new CatalogueError(
        'range_not_satisfiable',
        `There are only ${length} bytes, but the Range header asks for ${request.range}`,
        {
          extra: { length },
        },
      );
    }
    const { first, last } = range ?? { first: 0, last: length - 1 };
    const headers = new Headers({
      'content-type': 'application/octet-stream',
      'content-length': String(last - first + 1),
      'accept-ranges': 'bytes',
      [OFFSET_HEADER]: String(from + first),
    });
    if (range !== null) headers.set('content-range', `bytes ${first}-${last}/${length}`);
    const status = range === null ? 200 : 206;
    if (request.method === 'HEAD' || last < first) {
      await recorded.close();
      return new Response(null, { status, headers });
    }
    return new Response(fileBytes(recorded, from + first, from + last + 1), { status, headers });
  } catch (error) {
    await recorded.close();
    throw error;
  }
}

/**
 * Parses a Range header that contains one range. Returns null if the header is missing or may be ignored. RFC 9110,
 * section 14.2 allows ignoring other units, several ranges, and invalid values.
 */
function parseRange(
  header: string | undefined,
  length: number,
): { first: number; last: number } | 'unsatisfiable' | null {
  const match = /^bytes=([0-9]*)-([0-9]*)$/.exec(header?.trim() ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    const suffix = Math.min(Number(to), length);
    return suffix === 0 ? 'unsatisfiable' : { first: length - suffix, last: length - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return null;
  if (first >= length) return 'unsatisfiable';
  return { first, last: to === '' ? length - 1 : Math.min(Number(to), length - 1) };
}

/**
 * Returns the offset at which the bytes begin: the requested offset or, if everything was requested, the offset of the
 * oldest byte that still exists.
 */
async function beginOf(recorded: RecordedFile, from: number): Promise<number> {
  const availableFrom = await recorded.availableFrom();
  if (from >= availableFrom) return from;
  if (from === 0) return availableFrom;
  throw new CatalogueError(
    'range_not_satisfiable',
    `The recording begins at offset ${availableFrom}; older output was dropped`,
    {
      hint: `Start there: from=${availableFrom}`,
    },
  );
}

function fileBytes(file: RecordedFile, start: number, end: number): ReadableStream<Uint8Array> {
  let position = start;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const wanted = Math.min(READ_BYTES, end - position);
        const bytes = await file.read(position, position + wanted);
        if (bytes.length === 0) {
          await file.close();
          // The Content-Length has already been sent, so the connection must be aborted rather than closed normally.
          controller.error(new Error('the recording was truncated while it was being read'));
          return;
        }
        position += bytes.length;
        controller.enqueue(bytes);
        if (position < end) return;
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    // Nothing is read before the client is ready to receive it.
    { highWaterMark: 0 },
  );
}
