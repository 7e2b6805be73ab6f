import {
  ADDRESSES,
  type Address,
  CatalogueError,
  isSlug,
  type RouteInput,
  type RouteName,
  type RouteOutput,
} from '../protocol/index.ts';
import { errorFromResponse, errorFromTransport, parseJson } from './remote-errors.ts';
import type { Transport, TransportResponse } from './transport.ts';

/** Routes that answer with JSON: all but the recording's bytes. */
export type CallName = Exclude<RouteName, 'stream'>;

export interface CallerOptions {
  transport: Pick<Transport, 'request'>;
  /** the API's token, where the transport does not authenticate by itself (the local socket does) */
  token?: string;
}

/** The requests of a client, for whoever listens to nothing: it loads no schema. */
export interface Caller {
  /**
   * One request. The answer is what the server sent, unknown fields included: a newer server may say more.
   * @throws CatalogueError the server's error, or no_server
   */
  call<N extends CallName>(
    name: N,
    ...input: object extends RouteInput<N> ? [input?: RouteInput<N>] : [input: RouteInput<N>]
  ): Promise<RouteOutput<N>>;
  /**
   * The recording's raw bytes from an offset on, up to what there is.
   * @throws CatalogueError no_such_session, no_recording, range_not_satisfiable, no_server; while reading: no_server
   */
  recording(slug: string, from?: number): Promise<AsyncIterable<Uint8Array>>;
}

/** A typed client of the REST interface. Opens nothing before it is asked to. */
export function createCaller(options: CallerOptions): Caller {
  const { transport, token } = options;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const request = async (route: Address, input: AnyInput): Promise<TransportResponse> => {
    const body = input.body === undefined ? null : JSON.stringify(input.body);
    try {
      const response = await transport.request({
        method: route.method.toUpperCase(),
        path: fillPath(route.path, input),
        headers: body === null ? headers : { ...headers, 'content-type': 'application/json' },
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
      const response = await request(ADDRESSES[name], (input ?? {}) as AnyInput);
      const text = await response.text().catch((error: unknown) => {
        throw errorFromTransport(error);
      });
      const value = parseJson(text);
      if (value === undefined)
        throw new CatalogueError('internal', 'The server answered with something that is no JSON');
      // Bytes become a value. Not parsed by the schema: it would refuse a newer server's new words.
      return value as RouteOutput<N>;
    },
    async recording(slug, from) {
      const response = await request(ADDRESSES.stream, { params: { slug }, query: { from } });
      return readBytes(response);
    },
  };
}

interface AnyInput {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** Fills `{slug}` and appends the query. */
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
 * What cannot be a name is refused here: `/sessions/status` and `/sessions/..` are other addresses, and
 * percent-encoding does not help (URL parsers take `%2e%2e` for `..`).
 */
function encodeParam({ path, name }: { path: string; name: string }, value: string): string {
  if (name === 'slug' && !isSlug(value)) {
    throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(value.slice(0, MAX_QUOTED))}`);
  }
  if (!/^[\w-]+$/.test(value)) {
    throw new CatalogueError(path.startsWith('/stash/') ? 'no_such_stash' : 'no_such_delivery');
  }
  return value;
}

/** Longer names in a message help nobody. */
const MAX_QUOTED = 80;

async function* readBytes(response: TransportResponse): AsyncGenerator<Uint8Array> {
  try {
    yield* response.bytes();
  } catch (error) {
    throw errorFromTransport(error);
  }
}
