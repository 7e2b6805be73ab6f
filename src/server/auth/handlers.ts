import {
  CatalogueError,
  type Challenge,
  type ChallengeAnswer,
  PASS_HEADER,
  type PassRequest,
  type SignedIn,
  type SignIn,
  type SignInLink,
} from '../../protocol/index.ts';
import { writeCookie } from './cookie.ts';
import type { Guesser } from './guesses.ts';
import type { Passes } from './passes.ts';
import type { SignIns } from './sign-ins.ts';

export interface SignInOptions {
  signIns: SignIns;
  passes: Passes;
  version: string;
  /** the address at which other machines reach the page; null if none is configured */
  publicUrl: string | null;
  now(): number;
}

interface SignInHandlers {
  signIn(input: { body: SignIn; request: Request; from: Guesser }): Response;
  challenge(input: { body: Challenge; request: Request }): ChallengeAnswer;
  pass(input: { body: PassRequest; request: Request }): Response;
  signedIn(input: { request: Request }): SignedIn;
  signOut(input: { request: Request }): Response;
  createSignInLink(): SignInLink;
}

/**
 * Creates the handlers that sign browsers in and out. The gate decides which clients may request a link: every client
 * with full rights may do so.
 */
export function createSignInHandlers(options: SignInOptions): SignInHandlers {
  const { signIns, passes, version, publicUrl: public_url, now } = options;
  const signInOf = (request: Request): string | null => passes.holderOf(request.headers.get(PASS_HEADER) ?? '');
  const cookieOf = (id: string, expiresAt: number, request: Request): string =>
    writeCookie({
      name: signIns.cookieName,
      value: signIns.cookieOf(id),
      maxAgeSeconds: Math.floor((expiresAt - now()) / 1000),
      // The gate has already checked that the Origin is one of ours.
      secure: request.headers.get('origin')?.startsWith('https:') === true,
    });

  return {
    signIn: ({ body, request, from }) => {
      const { id, expiresAt } = signIns.signIn(body, from);
      const expires_at = new Date(expiresAt).toISOString();
      return Response.json(
        { expires_at, version, public_url, id, key: signIns.keyOf(id), pass: passes.first(id) },
        { headers: { 'Set-Cookie': cookieOf(id, expiresAt, request) } },
      );
    },
    challenge: ({ body, request }) => passes.challenge(body, originOf(request)),
    pass: ({ body, request }) => {
      const { id, pass } = passes.grant(body, originOf(request));
      // The cookie is set again, because a page from another port may have replaced it.
      const cookie = cookieOf(id, signIns.validUntil(id) ?? now(), request);
      return Response.json({ pass }, { headers: { 'Set-Cookie': cookie } });
    },
    signedIn: ({ request }) => {
      const id = signInOf(request);
      const until = id === null ? null : signIns.validUntil(id);
      return { expires_at: until === null ? null : new Date(until).toISOString(), version, public_url };
    },
    signOut: ({ request }) => {
      const id = signInOf(request);
      if (id !== null) signIns.signOut(id);
      const cookie = writeCookie({ name: signIns.cookieName, value: '', maxAgeSeconds: 0, secure: false });
      return Response.json({ status: 'signed_out' }, { headers: { 'Set-Cookie': cookie } });
    },
    createSignInLink: () => {
      const { code, expiresAt } = signIns.createLink();
      return { code, expires_at: new Date(expiresAt).toISOString() };
    },
  };
}

/**
 * Returns the origin of the page that sent the request. The gate has already checked that this origin is ours.
 * @throws CatalogueError forbidden_origin if the request does not come from a page
 */
function originOf(request: Request): string {
  const origin = request.headers.get('origin');
  if (origin === null)
    throw new CatalogueError(
      'forbidden_origin',
      'Only a web page can prove its sign-in, but the request has no Origin header',
    );
  return origin;
}
