import { ConnectionLostError, errorFromResponse, UnreachableError } from '../../client/index.ts';
import { CatalogueError, ChallengeAnswer, PASS_HEADER, Pass, proofText } from '../../protocol/index.ts';
import { loadSignInKey } from './sign-in-key.ts';

const NONCE_BYTES = 16;
/** How long to wait for a response. A program that has taken over the port may accept the request and never respond. */
const ANSWER_LIMIT_MS = 10_000;

let current: Promise<string> | null = null;

/**
 * Returns the pass for this page's requests. Before that, the program at this address must prove that it is the server
 * that this browser signed in to, because another program may have taken over the port while the server was down.
 * @throws CatalogueError unauthorized, unproven_server; UnreachableError
 */
export function pass(): Promise<string> {
  if (current === null) {
    const asked = handshake();
    asked.catch(() => dropPass(asked));
    current = asked;
  }
  return current;
}

/** Stores the first pass, which the server issues during sign-in. */
export function takePass(first: string): void {
  current = Promise.resolve(first);
}

/**
 * Discards the pass, so that the server must prove its identity again. @param used the pass to discard; nothing happens
 * if a newer pass has replaced it
 */
export function dropPass(used: Promise<string> | null = current): void {
  if (current === used) current = null;
}

/**
 * Sends a request with the sign-in of this browser. @throws CatalogueError unauthorized, unproven_server;
 * UnreachableError
 */
export async function fetchSignedIn(
  path: string,
  options: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const used = pass();
    const headers = { ...options.headers, [PASS_HEADER]: await used };
    const response = await fetchOwn(path, { ...options, headers });
    // Either the pass has expired, the server was restarted, or a page on another port has replaced our cookie with its
    // own. In any case, the server has not acted on the request.
    if (response.status !== 401 || attempt > 1) return response;
    dropPass(used);
  }
}

/**
 * Sends a request to the address from which this page was loaded. By now, another program may be listening there.
 * @throws UnreachableError
 */
export async function fetchOwn(path: string, options: RequestInit): Promise<Response> {
  return fetch(path, { ...options, credentials: 'same-origin', cache: 'no-store', redirect: 'error' }).catch(
    (cause: unknown) => {
      throw new UnreachableError('the server does not answer', { cause });
    },
  );
}

async function handshake(): Promise<string> {
  const key = await loadSignInKey();
  if (key === null) {
    throw new CatalogueError('unauthorized', 'This browser is not signed in', { hint: 'Sign in with `cbos open`' });
  }
  const { id } = key;
  const { origin } = location;
  const nonce = newNonce();
  const answer = ChallengeAnswer.safeParse(await ask('/sign-in/challenge', { id, nonce }));
  if (!answer.success) throw new CatalogueError('unproven_server');
  const shown = { id, nonce, server_nonce: answer.data.nonce };
  const expected = await key.prove(proofText('server', { ...shown, origin }));
  if (answer.data.proof !== expected) throw new CatalogueError('unproven_server');
  const proof = await key.prove(proofText('page', { ...shown, origin }));
  return Pass.parse(await ask('/sign-in/pass', { ...shown, proof })).pass;
}

/** @returns the answer as JSON, or null if it is not JSON */
async function ask(path: string, body: object): Promise<unknown> {
  const response = await fetchOwn(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  const text = await response.text().catch((cause: unknown) => {
    throw new ConnectionLostError('the connection was closed before the answer was complete', { cause });
  });
  // This response comes from a proxy that cannot reach the server.
  if (response.status >= 500) throw new UnreachableError(`the server responded with an error: HTTP ${response.status}`);
  if (response.status === 401) throw errorFromResponse(response.status, text);
  if (!response.ok) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function newNonce(): string {
  return [...crypto.getRandomValues(new Uint8Array(NONCE_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
