import { ConnectionLostError } from '../client/index.ts';

/** The status line and headers of an HTTP response. Header names are in lower case. */
export interface AnswerHead {
  status: number;
  headers: ReadonlyMap<string, string>;
}

/** Parses an HTTP/1.1 response incrementally as it arrives. */
export interface AnswerReader {
  /**
   * Feeds the parser the next bytes. Returns those that belong to the body.
   * @throws ConnectionLostError if the bytes are not valid HTTP
   */
  read(bytes: Buffer): Buffer[];
  /** the response's head, or null until it has arrived completely */
  head(): AnswerHead | null;
  /** whether the whole body has arrived */
  isComplete(): boolean;
  /**
   * Tells the parser that the connection was closed. @throws ConnectionLostError if it was closed in the middle of the
   * response
   */
  end(): void;
}

/**
 * The maximum size of a head, in bytes. The server's heads are a few hundred bytes long, and the size line of a chunk
 * is about ten.
 */
const MOST_HEAD_BYTES = 64 * 1024;
const MOST_LINE_BYTES = 1024;

/**
 * What the parser is reading: the head, a body (whose end is determined by one of three rules), or nothing, after the
 * end.
 */
type Part =
  | { in: 'head' }
  | { in: 'length' | 'chunk'; left: number }
  | { in: 'chunk-size' | 'chunk-end' | 'trailer' }
  | { in: 'until-end' }
  | { in: 'nothing' };

/**
 * Creates a parser for the only response on a connection. Node's own HTTP client could do this too, but loading it
 * takes a fifth of the time that Node needs to start.
 * @param method the request's method: the response to a HEAD request has no body
 */
export function createAnswerReader(method: string): AnswerReader {
  let part: Part = { in: 'head' };
  let head: AnswerHead | null = null;
  let kept: Buffer = Buffer.alloc(0);

  /** Returns the text up to the marker and keeps the rest, or returns null if the marker has not arrived yet. */
  const takeUntil = (mark: string, most: number): string | null => {
    const at = kept.indexOf(mark);
    if ((at === -1 ? kept.length : at) > most) throw notHttp();
    if (at === -1) return null;
    const text = kept.toString('latin1', 0, at);
    kept = kept.subarray(at + mark.length);
    return text;
  };
  const takeBytes = (count: number): Buffer => {
    const bytes = kept.subarray(0, count);
    kept = kept.subarray(count);
    return bytes;
  };

  /** Parses one more part of the response. Returns false if the next part has not arrived completely. */
  const step = (body: Buffer[]): boolean => {
    switch (part.in) {
      case 'head': {
        const text = takeUntil('\r\n\r\n', MOST_HEAD_BYTES);
        if (text === null) return false;
        const parsed = parseHead(text);
        // An interim response, such as 100 Continue, precedes the final response.
        if (parsed.status >= 200) {
          head = parsed;
          part = bodyOf(method, parsed);
        }
        return true;
      }
      case 'chunk':
      case 'length': {
        if (part.left > 0 && kept.length === 0) return false;
        const bytes = takeBytes(part.left);
        if (bytes.length > 0) body.push(bytes);
        part.left -= bytes.length;
        if (part.left === 0) part = { in: part.in === 'chunk' ? 'chunk-end' : 'nothing' };
        return true;
      }
      case 'chunk-size': {
        const line = takeUntil('\r\n', MOST_LINE_BYTES);
        if (line === null) return false;
        const [digits = ''] = line.split(';');
        if (!/^[\da-f]{1,12}$/i.test(digits.trim())) throw notHttp();
        const left = Number.parseInt(digits, 16);
        part = left === 0 ? { in: 'trailer' } : { in: 'chunk', left };
        return true;
      }
      case 'chunk-end': {
        const line = takeUntil('\r\n', MOST_LINE_BYTES);
        if (line === null) return false;
        if (line !== '') throw notHttp();
        part = { in: 'chunk-size' };
        return true;
      }
      case 'trailer': {
        const line = takeUntil('\r\n', MOST_HEAD_BYTES);
        if (line === '') part = { in: 'nothing' };
        return line !== null && line !== '';
      }
      case 'until-end':
        if (kept.length > 0) body.push(takeBytes(kept.length));
        return false;
      case 'nothing':
        return false;
    }
  };

  return {
    read(bytes) {
      kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      const body: Buffer[] = [];
      while (step(body)) {
        // each call of `step` reads one part
      }
      return body;
    },
    head: () => head,
    isComplete: () => part.in === 'nothing',
    end() {
      if (part.in === 'until-end') part = { in: 'nothing' };
      if (part.in === 'nothing') return;
      throw new ConnectionLostError(
        head === null
          ? 'the connection was closed before the answer arrived'
          : 'the connection was closed before the answer was complete',
      );
    },
  };
}

function parseHead(text: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw notHttp();
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw notHttp();
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers };
}

/** Returns the rule that determines where the body ends (RFC 9112, section 6.3). */
function bodyOf(method: string, { status, headers }: AnswerHead): Part {
  if (method === 'HEAD' || status === 204 || status === 304) return { in: 'nothing' };
  if (headers.get('transfer-encoding')?.toLowerCase().includes('chunked') === true) return { in: 'chunk-size' };
  const length = headers.get('content-length');
  if (length === undefined) return { in: 'until-end' };
  if (!/^\d{1,15}$/.test(length)) throw notHttp();
  return length === '0' ? { in: 'nothing' } : { in: 'length', left: Number(length) };
}

const notHttp = (): ConnectionLostError =>
  new ConnectionLostError('the program that answered on the local socket does not speak HTTP');
