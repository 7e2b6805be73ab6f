import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  CatalogueError,
  type Challenge,
  type ChallengeAnswer,
  type PassRequest,
  proofText,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { SignIns } from './sign-ins.ts';

/** How long the server waits for the page's proof after sending its own. The page needs one round trip. */
const CHALLENGE_LIFE_MS = 60_000;

/** How long a pass is valid. Pages renew their passes automatically, and an intercepted pass soon expires. */
const PASS_LIFE_MS = 3_600_000;

const NONCE_BYTES = 16;
const SEAL_KEY_BYTES = 32;

/**
 * The credentials in a page's request. A browser may send several cookies with the same name, because servers on other
 * ports, and longer paths, can set their own.
 */
export interface PageCredentials {
  pass: string | null;
  cookies: readonly string[];
}

/**
 * Lets a signed-in browser and its server authenticate each other with the sign-in's key. Only pages of the server's
 * own origin have the key, and no request contains the key. The server sends its proof first, so a program that has
 * taken over the server's port learns nothing. Then the page sends its proof and gets a pass.
 */
export interface Passes {
  /** @param origin the origin of the requesting page */
  challenge(asked: Challenge, origin: string): ChallengeAnswer;
  /** Returns the first pass, for a browser that has just signed in. */
  first(id: string): string;
  /** @throws CatalogueError unauthorized: the sign-in has ended, or belongs to another browser */
  grant(asked: PassRequest, origin: string): { id: string; pass: string };
  /** Returns the sign-in that a request belongs to; null if the request contains no valid sign-in. */
  admit(shown: PageCredentials): string | null;
  /**
   * Returns the sign-in that a pass belongs to, whatever else the request contains; null if the pass is no longer
   * valid.
   */
  holderOf(pass: string): string | null;
}

export function createPasses({ signIns, clock }: { signIns: SignIns; clock: Clock }): Passes {
  const seals = createSeals();
  const holderOf = (pass: string): string | null => {
    const [id = '', endsAt = ''] = seals.open('pass', pass)?.split('.') ?? [];
    return Number(endsAt) > clock.elapsed() && signIns.validUntil(id) !== null ? id : null;
  };
  const passFor = (id: string): string => seals.close('pass', `${id}.${Math.ceil(clock.elapsed() + PASS_LIFE_MS)}`);
  return {
    first: passFor,
    challenge: ({ id, nonce }, origin) => {
      const endsAt = Math.ceil(clock.elapsed() + CHALLENGE_LIFE_MS);
      const server_nonce = seals.close('nonce', `${randomBytes(NONCE_BYTES).toString('base64url')}.${endsAt}`);
      // The server sends its proof even if the sign-in has ended, which shows the browser that its own server reported
      // the end.
      const proof = hmac(signIns.keyOf(id), proofText('server', { origin, id, nonce, server_nonce }));
      return { nonce: server_nonce, proof };
    },
    grant: ({ proof, ...asked }, origin) => {
      const endsAt = Number(seals.open('nonce', asked.server_nonce)?.split('.')[1] ?? 0);
      const expected = hmac(signIns.keyOf(asked.id), proofText('page', { ...asked, origin }));
      if (endsAt <= clock.elapsed() || !isEqual(proof, expected) || signIns.validUntil(asked.id) === null) {
        throw signInIsOver();
      }
      return { id: asked.id, pass: passFor(asked.id) };
    },
    admit: ({ pass, cookies }) => {
      const id = pass === null ? null : holderOf(pass);
      return id !== null && cookies.some((cookie) => isEqual(cookie, signIns.cookieOf(id))) ? id : null;
    },
    holderOf,
  };
}

/** Returns the error for a browser whose sign-in is no longer valid. */
export function signInIsOver(): CatalogueError {
  return new CatalogueError('unauthorized', "This browser isn't signed in, or its sign-in has ended", {
    hint: 'Reload the page; if that does not help, sign in again with `cbos open`',
  });
}

/**
 * Seals strings that this server issues, so that the server recognizes them later without storing them. Clients
 * therefore cannot fill the server's memory. A seal is valid only until the server stops.
 */
function createSeals(): {
  close(kind: string, text: string): string;
  open(kind: string, sealed: string): string | null;
} {
  const key = randomBytes(SEAL_KEY_BYTES);
  const sealOf = (kind: string, text: string): string =>
    createHmac('sha256', key).update(`${kind}\n${text}`).digest('base64url');
  return {
    close: (kind, text) => `${text}.${sealOf(kind, text)}`,
    open: (kind, sealed) => {
      const at = sealed.lastIndexOf('.');
      const text = sealed.slice(0, Math.max(0, at));
      return isEqual(sealed.slice(at + 1), sealOf(kind, text)) ? text : null;
    },
  };
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Compares two strings. For strings of the same length, the time does not depend on where they differ. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
