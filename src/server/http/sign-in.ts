import type { SignedIn, SignIn, SignInLink } from '../../protocol/index.ts';
import { readCookie, writeCookie } from '../auth/cookie.ts';
import type { SignIns } from '../auth/sign-ins.ts';

export interface SignInOptions {
  signIns: SignIns;
  version: string;
  /** where other machines find the page, null when not set */
  publicUrl: string | null;
  now(): number;
}

interface SignInHandlers {
  signIn(input: { body: SignIn; request: Request }): Response;
  signedIn(input: { request: Request }): SignedIn;
  signOut(input: { request: Request }): Response;
  createSignInLink(): SignInLink;
}

/** Signing browsers in and out. Who may ask for a link is decided by the gate: whoever may do everything else, too. */
export function createSignInHandlers(options: SignInOptions): SignInHandlers {
  const { signIns, version, publicUrl: public_url, now } = options;
  const secretOf = (request: Request): string | null =>
    readCookie([request.headers.get('cookie') ?? ''], signIns.cookieName);

  return {
    signIn: ({ body, request }) => {
      const { secret, expiresAt } = signIns.signIn(body);
      const cookie = writeCookie({
        name: signIns.cookieName,
        value: secret,
        maxAgeSeconds: Math.floor((expiresAt - now()) / 1000),
        // The gate has found the Origin to be ours.
        secure: request.headers.get('origin')?.startsWith('https:') === true,
      });
      const expires_at = new Date(expiresAt).toISOString();
      return Response.json({ expires_at, version, public_url }, { headers: { 'Set-Cookie': cookie } });
    },
    signedIn: ({ request }) => {
      const secret = secretOf(request);
      const until = secret === null ? null : signIns.validUntil(secret);
      return { expires_at: until === null ? null : new Date(until).toISOString(), version, public_url };
    },
    signOut: ({ request }) => {
      const secret = secretOf(request);
      if (secret !== null) signIns.signOut(secret);
      const cookie = writeCookie({ name: signIns.cookieName, value: '', maxAgeSeconds: 0, secure: false });
      return Response.json({ status: 'signed_out' }, { headers: { 'Set-Cookie': cookie } });
    },
    createSignInLink: () => {
      const { code, expiresAt } = signIns.createLink();
      return { code, expires_at: new Date(expiresAt).toISOString() };
    },
  };
}
