import { createHmac, randomBytes } from 'node:crypto';
import type { ChallengeAnswer, NewSignIn, Pass, PassRequest, SignIn } from '../../src/protocol/index.ts';
import { proofText } from '../../src/protocol/index.ts';
import { type Answered, type FacesUnderTest, TOKEN } from './faces.ts';

/** The credentials of a signed-in page, without a browser. */
export interface SignedInPage {
  origin: string;
  id: string;
  key: string;
  /** `name=value` */
  cookie: string;
  pass: string;
  /** the headers for its requests */
  headers: { origin: string; cookie: string; 'cbos-pass': string };
}

type Server = Pick<FacesUnderTest, 'call' | 'port'>;

/**
 * Signs in and gets a pass, as a page does.
 * @param origin also determines the Host; the server's own address if omitted
 */
export async function signInAsPage(
  server: Server,
  shown: SignIn = { token: TOKEN },
  origin = `http://127.0.0.1:${server.port}`,
): Promise<SignedInPage> {
  const headers = { origin, host: new URL(origin).host };
  const answer = await server.call('/sign-in', { token: null, headers, body: shown });
  if (answer.status !== 200) throw new Error(`no sign-in: ${answer.text}`);
  const { id, key } = answer.json() as NewSignIn;
  const passed = await server.call('/sign-in/pass', {
    token: null,
    headers,
    body: await passRequest(server, { id, key, origin }),
  });
  if (passed.status !== 200) throw new Error(`no pass: ${passed.text}`);
  const { pass } = passed.json() as Pass;
  const cookie = cookieIn(answer);
  return { origin, id, key, cookie, pass, headers: { origin, cookie, 'cbos-pass': pass } };
}

/** Requests the server's proof, and creates the page's proof. @throws Error if the server's proof is wrong */
export async function passRequest(
  server: Server,
  { id, key, origin }: Pick<SignedInPage, 'id' | 'key' | 'origin'>,
): Promise<PassRequest> {
  const nonce = randomBytes(16).toString('hex');
  const headers = { origin, host: new URL(origin).host };
  const answer = await server.call('/sign-in/challenge', { token: null, headers, body: { id, nonce } });
  const { nonce: server_nonce, proof } = answer.json() as ChallengeAnswer;
  const asked = { id, nonce, server_nonce };
  if (proof !== hmac(key, proofText('server', { ...asked, origin }))) throw new Error('the server proved nothing');
  return { ...asked, proof: hmac(key, proofText('page', { ...asked, origin })) };
}

/** Returns the `name=value` of the cookie that a response sets. Empty if it sets none. */
export function cookieIn(answer: Answered): string {
  const [header = ''] = answer.headers['set-cookie'] ?? [];
  return header.split(';', 1)[0] ?? '';
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
