import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Emitter } from '../../emitter/emitter.ts';
import { CatalogueError, type SignIn } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import type { Dispose } from '../sessions.ts';
import type { Guesser, Guesses } from './guesses.ts';
import type { TokenSource } from './token.ts';

/** 256 bits, as the token itself: a code is not guessed, whoever tries. */
const SECRET_BYTES = 32;

/** Long enough to take the phone in hand, short enough that a link in a scrollback is worth nothing. */
export const LINK_LIFE_MS = 10 * 60_000;

/** A month: who looks in less often signs in again. */
export const SIGN_IN_LIFE_MS = 30 * 86_400_000;

/** How many links may be open; the oldest goes first. Nobody has this many browsers. */
const MAX_LINKS = 50;
/** Signed-in browsers at most; the oldest is signed out. */
const MAX_SIGN_INS = 100;

const ID_BYTES = 12;

/** Sign-ins of older servers had a cookie alone, which every port of the machine was sent. They are none any more. */
const Kept = z.array(z.object({ id: z.string(), check: z.string(), expires_at: z.number() }));

/** A sign-in, and when it ends, Unix milliseconds. */
export interface Grant {
  id: string;
  expiresAt: number;
}

/** The browsers that are signed in, and the links by which they become so. */
export interface SignIns {
  /** Differs per home: cookies know no ports, and two servers on one machine must not sign each other out. */
  readonly cookieName: string;
  /** A code for one sign-in. @returns when it ends, Unix milliseconds */
  createLink(): { code: string; expiresAt: number };
  /** @throws CatalogueError link_expired, unauthorized, too_many_attempts */
  signIn(shown: SignIn, from: Guesser): Grant;
  /** When a sign-in ends, Unix milliseconds; null: it holds no more. */
  validUntil(id: string): number | null;
  /** What the browser's cookie holds: out of reach of scripts, but sent to every port of the machine. */
  cookieOf(id: string): string;
  /** What the page keeps to make proofs with: out of reach of other ports, and never sent again. */
  keyOf(id: string): string;
  signOut(id: string): void;
  /** Called when somebody has signed out. */
  onSignOut(listener: () => void): Dispose;
}

/**
 * Sign-ins are kept in `sign-ins.json` of the home, so that they outlive the server, and only by their names: cookie
 * and key are made of the name by the token, so whoever reads the file can sign in with nothing of it, and a rotated
 * token signs everybody out. Links are kept in memory: a restart ends them.
 */
export function createSignIns(options: {
  home: string;
  file: string;
  token: TokenSource;
  guesses: Guesses;
  clock: Clock;
}): SignIns {
  const { home, file, token, guesses, clock } = options;
  /** when each ends, by a clock that nobody sets */
  const links = new Map<string, number>();
  let signedIn = new Map((readPrivateFile(file, Kept) ?? []).map((kept) => [kept.id, kept]));
  const signedOut = new Emitter();

  /** Written before it holds: a full disk refuses a change with nothing changed. */
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
      throw new CatalogueError('unauthorized', 'The token is not valid', { hint: '`cbos token` prints it' });
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

/** Looked up by their hash, so that the time it takes says nothing about a code. */
function digest(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
