import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Emitter } from '../../emitter/emitter.ts';
import { CatalogueError, type SignIn } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import type { Dispose } from '../sessions.ts';
import type { Guesser, Guesses } from './guesses.ts';
import type { TokenSource } from './token.ts';

/** A code has 256 bits, like the token, so nobody can guess it, however many attempts they make. */
const SECRET_BYTES = 32;

/**
 * How long a link is valid: long enough to pick up a phone, but too short for a link that somebody finds in a
 * scrollback.
 */
export const LINK_LIFE_MS = 10 * 60_000;

/** How long a sign-in is valid: a month, after which the person must sign in again. */
export const SIGN_IN_LIFE_MS = 30 * 86_400_000;

/** How many links may be valid at once. Beyond that, the oldest link becomes invalid. Nobody has this many browsers. */
const MAX_LINKS = 50;
/** How many browsers may be signed in at once. Beyond that, the oldest is signed out. */
const MAX_SIGN_INS = 100;

const ID_BYTES = 12;

/**
 * Older servers stored sign-ins that consisted only of a cookie, which browsers send to every port on the machine. Such
 * sign-ins are ignored.
 */
const Kept = z.array(z.object({ id: z.string(), check: z.string(), expires_at: z.number() }));

/** A sign-in, and the time when it ends, in Unix milliseconds. */
export interface Grant {
  id: string;
  expiresAt: number;
}

/** Manages the signed-in browsers, and the links that sign browsers in. */
export interface SignIns {
  /**
   * The name of the cookie, which differs for each home. Cookies are not separated by port, so with a common name, two
   * servers on one machine would sign each other's browsers out.
   */
  readonly cookieName: string;
  /** Creates a code for one sign-in. @returns when the code expires, in Unix milliseconds */
  createLink(): { code: string; expiresAt: number };
  /** @throws CatalogueError link_expired, unauthorized, too_many_attempts */
  signIn(shown: SignIn, from: Guesser): Grant;
  /** Returns when a sign-in ends, in Unix milliseconds; null if the sign-in is no longer valid. */
  validUntil(id: string): number | null;
  /**
   * Returns the value of the browser's cookie. Scripts cannot read the cookie, but browsers send it to every port on
   * the machine.
   */
  cookieOf(id: string): string;
  /**
   * Returns the key with which the page creates its proofs. Pages from other ports cannot read the key, and it is sent
   * only once.
   */
  keyOf(id: string): string;
  signOut(id: string): void;
  /** Calls the listener after somebody has signed out. */
  onSignOut(listener: () => void): Dispose;
}

/**
 * Stores sign-ins in the home's `sign-ins.json`, so that they outlive the server. The file contains only the ids of
 * sign-ins, because the cookie and the key are derived from the id and the token. Therefore nobody can sign in with the
 * file alone, and rotating the token signs everybody out. Links are kept only in memory, so they become invalid when
 * the server restarts.
 */
export function createSignIns(options: {
  home: string;
  file: string;
  token: TokenSource;
  guesses: Guesses;
  clock: Clock;
}): SignIns {
  const { home, file, token, guesses, clock } = options;
  /** when each link expires, by the monotonic clock */
  const links = new Map<string, number>();
  let signedIn = new Map((readPrivateFile(file, Kept) ?? []).map((kept) => [kept.id, kept]));
  const signedOut = new Emitter();

  /** Writes the file before the change takes effect, so that a full disk prevents the change and does no other harm. */
  const save = (next: z.infer<typeof Kept>): void => {
    writePrivateFile(file, next);
    signedIn = new Map(next.map((kept) => [kept.id, kept]));
  };

  const grant = (): Grant => {
    const now = clock.now();
    const valid = [...signedIn.values()].filter(({ expires_at }) => expires_at > now);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const expiresAt = now + SIGN_IN_LIFE_MS;
    save([...valid.slice(-(MAX_SIGN_INS - 1)), { id, check: token.bind(`check ${id}`), expires_at: expiresAt }]);
    return { id, expiresAt };
  };

  return {
    cookieName: `cbos_${createHash('sha256').update(home).digest('hex').slice(0, 8)}`,
    createLink: () => {
      const code = newSecret();
      links.set(digest(code), clock.elapsed() + LINK_LIFE_MS);
      for (const key of [...links.keys()].slice(0, Math.max(0, links.size - MAX_LINKS))) links.delete(key);
      return { code, expiresAt: clock.now() + LINK_LIFE_MS };
    },
    signIn: (shown, from) => {
      if (shown.code !== undefined) {
        const key = digest(shown.code);
        const endsAt = links.get(key);
        if (endsAt === undefined || endsAt <= clock.elapsed()) throw new CatalogueError('link_expired');
        const granted = grant();
        links.delete(key);
        return granted;
      }
      if (guesses.accepts(shown.token ?? '', from)) return grant();
      throw new CatalogueError('unauthorized', 'The token is not valid', { hint: '`cbos token` prints the token' });
    },
    validUntil: (id) => {
      const kept = signedIn.get(id);
      const holds = kept !== undefined && kept.expires_at > clock.now() && kept.check === token.bind(`check ${id}`);
      return holds ? kept.expires_at : null;
    },
    cookieOf: (id) => token.bind(`cookie ${id}`),
    keyOf: (id) => token.bind(`key ${id}`),
    signOut: (id) => {
      if (!signedIn.has(id)) return;
      save([...signedIn.values()].filter((kept) => kept.id !== id));
      signedOut.tell();
    },
    onSignOut: signedOut.on,
  };
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the hash of a code. Codes are looked up by their hash, so the time that a lookup takes reveals nothing about
 * a code.
 */
function digest(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
