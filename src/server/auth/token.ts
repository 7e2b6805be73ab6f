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

/** A token has 256 bits, so nobody can guess it, and attempts need not be counted. */
const TOKEN_BYTES = 32;

/** The minimum length of a token that a person has written into the file by hand. */
const MIN_TOKEN_LENGTH = 16;

export interface TokenSource {
  /** Reports whether a client's token is the current one. The check takes equally long for every wrong token. */
  accepts(token: string): boolean;
  /**
   * Returns a key derived from this secret and the current token. Rotating the token invalidates everything that
   * depends on the key.
   */
  bind(secret: string): string;
}

/** Returns the token from a setting. Such a token stays valid as long as the server is running. */
export function fixedToken(token: string): TokenSource {
  const expected = digest(token);
  return { accepts: (given) => timingSafeEqual(digest(given), expected), bind: (secret) => keyOf(expected, secret) };
}

/**
 * Returns the token in a file. The file is created if it does not exist, and read again whenever it changes. A rotation
 * therefore takes effect immediately: the new token is valid, and the old one is not.
 * @param path `$CBOS_HOME/token`
 * @throws CatalogueError invalid_setting when the file contains no token
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
    // If the disk is full, no token exists until somebody creates one with `cbos token`. The local socket still works,
    // because it needs no token.
    if (homeFault(error) === null) throw error;
  }
  const current = (): Buffer | null => {
    try {
      refresh();
    } catch (error) {
      // The file was deleted or emptied while the server was running. Nobody is admitted until the file contains a
      // token again.
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
    // Without a token, the key is random each time, so nothing that depends on it is valid later.
    bind: (secret) => keyOf(current() ?? randomBytes(TOKEN_BYTES), secret),
  };
}

function keyOf(token: Buffer, secret: string): string {
  return createHmac('sha256', token).update(secret).digest('hex');
}

/**
 * Creates the file with a new token if the file does not exist. If several processes do so at the same time, all of
 * them get the same token.
 */
export function ensureTokenFile(path: string): void {
  try {
    // A copy or an editor may have made the file readable by others.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const written = writeBeside(path);
  try {
    // Unlike a rename, a link never replaces a token that another process created in the meantime.
    linkSync(written, path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(written);
  }
}

/** Atomically replaces the token with a new one. @returns the new token */
export function rotateTokenFile(path: string): string {
  renameSync(writeBeside(path), path);
  return readToken(path);
}

/** @throws CatalogueError invalid_setting when the file contains no token */
export function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < MIN_TOKEN_LENGTH || /\s/.test(token)) {
    throw new CatalogueError('invalid_setting', `${path} contains no token`, {
      hint: '`cbos token --rotate` writes a new one',
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
    // If the disk is full, an empty temporary file remains.
    rmSync(beside, { force: true });
    throw error;
  }
  return beside;
}

/** Returns a value that changes whenever the file is replaced (inode) or written (time, size). */
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
