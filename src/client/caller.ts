import {
  ADDRESSES,
  type Address,
  CatalogueError,
  isSlug,
  parseJson,
  type RouteInput,
  type RouteName,
  type RouteOutput,
  type StoredFile,
} from '../protocol/index.ts';
import { errorFromResponse, errorFromTransport } from './remote-errors.ts';
import type { StreamedBody, Transport, TransportResponse } from './transport.ts';

/** The routes whose response is JSON, which is every route except the one for a recording's bytes. */
export type CallName = Exclude<RouteName, 'stream' | 'uploadFile' | 'readFile'>;

export interface CallerOptions {
  transport: Pick<Transport, 'request'>;
  /** the API token; not needed if the transport authenticates in another way, as the local socket does */
  token?: string;
}

/** A file to store for a session. */
export interface FileToUpload extends StreamedBody {
  /** the file's original name, from which the server derives a safe name */
  name: string;
}

/** The part of a client that sends requests. It does not load any schemas. */
export interface Caller {
  /**
   * Sends one request. The result is exactly what the server sent, including any fields that only a newer server has.
   * @throws CatalogueError any error that the server returns, or no_server if it cannot be reached
   */
  call<N extends CallName>(
    name: N,
    ...input: object extends RouteInput<N> ? [input?: RouteInput<N>] : [input: RouteInput<N>]
  ): Promise<RouteOutput<N>>;
  /**
   * Reads a recording's raw bytes from an offset up to its current end.
   * @throws CatalogueError no_such_session, no_recording, range_not_satisfiable, no_server (also while the result is
   * read)
   */
  recording(slug: string, from?: number): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Stores a file alongside a session.
   * @throws CatalogueError no_such_session, file_too_large, too_many_files, files_unavailable, disk_full, no_server
   */
  upload(slug: string, file: FileToUpload): Promise<StoredFile>;
}

/** Creates a typed client for the REST interface. It does not open a connection before the first call. */
export function createCaller(options: CallerOptions): Caller {
  const { transport, token } = options;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const request = async (route: Address, input: AnyInput): Promise<TransportResponse> => {
    const { body = null, type } = bodyOf(input);
    try {
      const response = await transport.request({
        method: route.method.toUpperCase(),
        path: fillPath(route.path, input),
        headers: type === undefined ? headers : { ...headers, 'content-type': type },
        body,
      });
      if (response.status >= 200 && response.status < 300) return response;
      throw errorFromResponse(response.status, await response.text());
    } catch (error) {
      throw errorFromTransport(error);
    }
  };

  return {
    async call<N extends CallName>(name: N, ...[input]: [input?: RouteInput<N>]): Promise<RouteOutput<N>> {
      return readJson<RouteOutput<N>>(await request(ADDRESSES[name], (input ?? {}) as AnyInput));
    },
    async recording(slug, from) {
      const response = await request(ADDRESSES.stream, { params: { slug }, query: { from } });
      return readBytes(response);
    },
    upload: async (slug, { name, ...file }) =>
      readJson<StoredFile>(await request(ADDRESSES.uploadFile, { params: { slug }, query: { name }, file })),
  };
}

async function readJson<T>(response: TransportResponse): Promise<T> {
  const text = await response.text().catch((error: unknown) => {
    throw errorFromTransport(error);
  });
  const value = parseJson(text);
  if (value === undefined) throw new CatalogueError('internal', "The server's answer isn't JSON");
  // The response's JSON is not validated with the schema, because the schema would reject words that only a newer
  // server knows.
  return value as T;
}

interface AnyInput {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  /** text to send unchanged instead of `body` */
  file?: StreamedBody;
}

function bodyOf({ body, file }: AnyInput): { body?: string | StreamedBody; type?: string } {
  if (file !== undefined) return { body: file, type: 'application/octet-stream' };
  return body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' };
}

/** Fills in `{slug}` and appends the query. */
function fillPath(path: string, input: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeParam({ path, name }, String(input.params?.[name])),
  );
  const query = Object.entries(input.query ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
  return query === '' ? filled : `${filled}?${query}`;
}

/**
 * Rejects a value that cannot be a name, because `/sessions/status` and `/sessions/..` would be different addresses.
 * Percent-encoding does not help, because URL parsers treat `%2e%2e` as `..`.
 */
function encodeParam({ path, name }: { path: string; name: string }, value: string): string {
  if (name === 'slug' && !isSlug(value)) {
    throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(value.slice(0, MAX_QUOTED))}`);
  }
  if (!/^[\w-]+$/.test(value)) {
    if (path.includes('/files/')) throw new CatalogueError('file_not_stored');
    if (path.startsWith('/sinks/')) throw new CatalogueError('no_such_sink');
    if (path.startsWith('/triggers/')) throw new CatalogueError('no_such_trigger');
    if (path.startsWith('/schedules/')) throw new CatalogueError('no_such_schedule');
    throw new CatalogueError(path.startsWith('/stash/') ? 'no_such_stash' : 'no_such_delivery');
  }
  return value;
}

/** How many characters of a name to quote in an error message. */
const MAX_QUOTED = 80;

async function* readBytes(response: TransportResponse): AsyncGenerator<Uint8Array> {
  try {
    yield* response.bytes();
  } catch (error) {
    throw errorFromTransport(error);
  }
}
