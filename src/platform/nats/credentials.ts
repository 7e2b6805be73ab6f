import { X509Certificate } from 'node:crypto';
import { type Authenticator, jwtAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';
import { CatalogueError } from '../../protocol/index.ts';
import { publicKeyOf, seedBytes } from './keys.ts';

/** What admits a machine to a shared NATS server: a key, with the JWT that an account has issued for it, if any. */
interface Credentials {
  jwt: string | null;
  seed: string;
}

/**
 * Reads the content of a credentials file of NATS, or the seed of an nkey.
 * @throws CatalogueError invalid_setting
 */
function readCredentials(text: string): Credentials {
  const jwt = blockOf(text, 'NATS USER JWT');
  const seed = jwt === null ? text.trim() : blockOf(text, 'USER NKEY SEED');
  const key = seed === null ? null : publicKeyOf(seed);
  if (seed === null || key === null || (jwt !== null && claimsOf(jwt)?.sub !== key)) {
    throw new CatalogueError(
      'invalid_setting',
      'The credentials are neither a complete credentials file of NATS nor the seed of an nkey',
      { hint: 'Give the file that `nsc generate creds` wrote, or one that contains only a seed: --credentials FILE' },
    );
  }
  return { jwt, seed };
}

/** @throws CatalogueError invalid_setting */
export function authenticatorOf(credentials: string): Authenticator {
  const { jwt, seed } = readCredentials(credentials);
  return jwt === null ? nkeyAuthenticator(seedBytes(seed)) : jwtAuthenticator(jwt, seedBytes(seed));
}

/** Returns when credentials expired, in milliseconds since 1970; null if they have not expired. */
export function expiredAt(credentials: string, now: number): number | null {
  const jwt = blockOf(credentials, 'NATS USER JWT');
  const { exp } = (jwt === null ? null : claimsOf(jwt)) ?? {};
  return exp !== undefined && exp * 1_000 <= now ? exp * 1_000 : null;
}

/** Returns the text between the two lines that name it. Their number of dashes varies. */
function blockOf(text: string, name: string): string | null {
  const block = new RegExp(`-{3,}\\s*BEGIN ${name}\\s*-{3,}\\s+(\\S+)\\s+-{3,}\\s*END ${name}\\s*-{3,}`);
  return block.exec(text)?.[1] ?? null;
}

/** Returns the claims of a JWT that matter here, unverified: the server verifies them. */
function claimsOf(jwt: string): { sub?: string; exp?: number } | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null) return null;
    const { sub, exp } = claims as Record<string, unknown>;
    return { ...(typeof sub === 'string' ? { sub } : {}), ...(typeof exp === 'number' ? { exp } : {}) };
  } catch {
    return null; // the file is not complete
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Returns the certificates in a PEM file, without anything else that the file contains, such as a key.
 * @throws CatalogueError invalid_setting
 */
export function readAuthority(text: string): string {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return `${certificates.join('\n')}\n`;
  throw new CatalogueError('invalid_setting', 'The certificate authority is not a certificate in PEM format', {
    hint: 'Give the file with the certificate of the authority that signed the certificate of the server: --ca FILE',
  });
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false; // the text between the lines is not a certificate
  }
}
