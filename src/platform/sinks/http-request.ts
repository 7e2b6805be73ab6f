/** How long to wait for a server. A server that takes longer is not working properly. */
export const REQUEST_LIMIT_MS = 15_000;
/** The maximum size of a response, which is more than any sink needs. */
const MOST_ANSWER_BYTES = 4_000_000;

export type HttpReply =
  | { kind: 'answered'; status: number; text: string; retryAfterMs: number | null }
  /** the request was not sent, so it cannot have arrived */
  | { kind: 'unsent'; error: string }
  | { kind: 'unsure'; error: string };

/** Errors that occur before a connection exists. After any other error, the request may have been carried out. */
const BEFORE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Sends a request and returns what is known about its outcome. This function never throws. */
export async function request(
  url: string,
  init: { method: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal; limitMs?: number },
): Promise<HttpReply> {
  const { signal, limitMs = REQUEST_LIMIT_MS, ...rest } = init;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, {
      ...rest,
      // The target of a redirect would receive data that only the requested server may read.
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
    return { kind: 'answered', status: response.status, text: await readBounded(response), retryAfterMs };
  } catch (error) {
    const { code, message } = causeOf(error);
    return { kind: BEFORE.has(code) ? 'unsent' : 'unsure', error: message };
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MOST_ANSWER_BYTES) throw new Error('the response is too long');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * The message of the error from `fetch` is just "fetch failed", and the reason is in its cause. Neither contains the
 * address, which may include a secret.
 */
export function causeOf(error: unknown): { code: string; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { code, message: cause instanceof Error ? cause.message || code || cause.name : String(cause) };
}

/** Returns only the host of an address, because the rest may be secret. */
export const originOf = (url: string): string => new URL(url).host;

export const baseOf = (url: string): string => url.replace(/\/+$/, '');

const OWN_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Reports whether an address leads to this machine, so that no other machine can read what is sent. */
export const isThisMachine = ({ hostname }: URL): boolean => OWN_NAMES.has(hostname);
