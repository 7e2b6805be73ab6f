import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { homeFault } from '../../platform/sqlite/home-fault.ts';
import { CatalogueError } from '../../protocol/index.ts';

/** 256 bits: nobody guesses them, so nothing has to count attempts. */
const TOKEN_BYTES = 32;

/** Shortest token that somebody may have written into the file by hand. */
const MIN_TOKEN_LENGTH = 16;

export interface TokenSource {
  /** Whether a client's token is the one that holds now. Takes the same time for every wrong one. */
  accepts(token: string): boolean;
  /**
   * A key that only this secret makes, and only as long as the token holds: what is kept under it ends with a rotation.
   */
  bind(secret: string): string;
}

/** The token of a setting: it holds as long as the server runs. */
export function fixedToken(token: string): TokenSource {
  const expected = digest(token);
  return { accepts: (given) => timingSafeEqual(digest(given), expected), bind: (secret) => keyOf(expected, secret) };
}

/**
 * The token in a file. It is made when it is not there, and read again whenever the file changed, so that a rotated
 * token holds at once and the old one no longer.
 * @param path `$CBOS_HOME/token`
 * @throws CatalogueError invalid_setting when the file holds no token
 */
export function fileToken(path: string): TokenSource {
  let seen = '';
  let expected: Buffer | null = null;
  const refresh = (): void => {
    const version = fileVersion(path);
    if (version === seen) return;
    seen = version;
    expected = null;
    expected = digest(readToken(path));
  };
  try {
    ensureTokenFile(path);
    refresh();
  } catch (error) {
    // On a full disk there is no token until somebody makes one (`cbos token`); the local socket needs none.
    if (homeFault(error) === null) throw error;
  }
  const current = (): Buffer | null => {
    try {
      refresh();
    } catch (error) {
      // Deleted or emptied while the server runs: nobody gets in until there is a token again.
      if (!(error instanceof CatalogueError) && !isNotFound(error)) throw error;
      seen = '';
      expected = null;
    }
    return expected;
  };
  return {
    accepts: (given) => {
      const holding = current();
      return holding !== null && timingSafeEqual(digest(given), holding);
    },
    // Without a token a fresh key each time: what is kept under it can never be found.
    bind: (secret) => keyOf(current() ?? randomBytes(TOKEN_BYTES), secret),
  };
}

function keyOf(token: Buffer, secret: string): string {
  return createHmac('sha256', token).update(secret).digest('hex');
}

/** Makes the file with a fresh token when there is none; several processes may do so at once and agree on one token. */
export function ensureTokenFile(path: string): void {
  try {
    // A copy or an editor may have opened it to others.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const written = writeBeside(path);
  try {
    // Unlike a rename, a link never replaces the token that another process made in the meantime.
    linkSync(written, path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(written);
  }
}

/** Replaces the token by a fresh one, at once and as a whole. Returns it. */
export function rotateTokenFile(path: string): string {
  renameSync(writeBeside(path), path);
  return readToken(path);
}

/** @throws CatalogueError invalid_setting when the file holds no token */
export function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < MIN_TOKEN_LENGTH || /\s/.test(token)) {
    throw new CatalogueError('invalid_setting', `${path} holds no token`, {
      hint: '`cbos token --rotate` writes a fresh one',
    });
  }
  return token;
}

function writeBeside(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(beside, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // An empty one on a full disk.
    rmSync(beside, { force: true });
    throw error;
  }
  return beside;
}

/** Changes with every replacement (inode) and every write (time, size). */
function fileVersion(path: string): string {
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino} ${mtimeMs} ${size}`;
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function isNotFound(error: unknown): boolean {
  return isErrno(error, 'ENOENT');
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
