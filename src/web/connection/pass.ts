import { ConnectionLostError, errorFromResponse, UnreachableError } from '../../client/index.ts';
import { CatalogueError, ChallengeAnswer, PASS_HEADER, Pass, proofText } from '../../protocol/index.ts';
import { loadSignInKey } from './sign-in-key.ts';

const NONCE_BYTES = 16;
/** Who took the port may take the request and say nothing. */
const ANSWER_LIMIT_MS = 10_000;

let current: Promise<string> | null = null;

/**
 * What this page's requests carry. Whoever answers at this address has to prove first that it is the server that this
 * browser signed in to: the server may be down, and another program have its port.
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

/** A sign-in comes with its first pass. */
export function takePass(first: string): void {
  current = Promise.resolve(first);
}

/** Who answers next proves itself again. @param used left alone where it was dropped already */
export function dropPass(used: Promise<string> | null = current): void {
  if (current === used) current = null;
}

/** A request in this browser's sign-in. @throws CatalogueError unauthorized, unproven_server; UnreachableError */
export async function fetchSignedIn(
  path: string,
  options: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const used = pass();
    const headers = { ...options.headers, [PASS_HEADER]: await used };
    const response = await fetchOwn(path, { ...options, headers });
    // The pass was too old, the server is another process by now, or another port's page put its own cookie in place of
    // ours: nothing was done.
    if (response.status !== 401 || attempt > 1) return response;
    dropPass(used);
  }
}

/** A request to the server that this page came from, or whoever is there now. @throws UnreachableError */
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
    throw new CatalogueError('unauthorized', 'This browser is not signed in', { hint: '`cbos open` signs in' });
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

/** @returns the answer's JSON, null where it is none */
async function ask(path: string, body: object): Promise<unknown> {
  const response = await fetchOwn(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  const text = await response.text().catch((cause: unknown) => {
    throw new ConnectionLostError('the connection ended within the answer', { cause });
  });
  // A proxy that finds no server behind it.
  if (response.status >= 500) throw new UnreachableError(`the server does not answer: HTTP ${response.status}`);
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
