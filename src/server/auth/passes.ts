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

/** From the server's proof to the page's: one turn on the wire. */
const CHALLENGE_LIFE_MS = 60_000;

/** A page gets the next one by itself; one that was overheard is not worth much. */
const PASS_LIFE_MS = 3_600_000;

const NONCE_BYTES = 16;
const SEAL_KEY_BYTES = 32;

/**
 * What a page's request shows of its sign-in. A browser may send several cookies of one name: another port, or a longer
 * path, sets its own.
 */
export interface PageCredentials {
  pass: string | null;
  cookies: readonly string[];
}

/**
 * How a browser that is signed in and its server know each other: by the sign-in's key, which only pages of the
 * server's own origin have and which is never sent. The server proves first, so a program that took its port learns
 * nothing; then the page does, and gets a pass.
 */
export interface Passes {
  /** @param origin of the page that asks */
  challenge(asked: Challenge, origin: string): ChallengeAnswer;
  /** For the browser that signs in at this moment. */
  first(id: string): string;
  /** @throws CatalogueError unauthorized: the sign-in is over, or this is not the browser that has it */
  grant(asked: PassRequest, origin: string): { id: string; pass: string };
  /** The sign-in that a request is made in, null where it shows none that holds. */
  admit(shown: PageCredentials): string | null;
  /** The sign-in that a pass names, whatever else a request shows; null: the pass holds no more. */
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
      // Also for a sign-in that is over: its browser may know that it is its server that says so.
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

/** What a browser is told whose sign-in holds no more. */
export function signInIsOver(): CatalogueError {
  return new CatalogueError('unauthorized', 'This browser is not signed in, or no longer', {
    hint: 'Load the page again; where it does not go on by itself, `cbos open` signs in',
  });
}

/**
 * Texts that this server gave out and knows again, without keeping them: nobody fills its memory, and they end with it.
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

/** Takes the same time wherever two texts of one length differ. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
