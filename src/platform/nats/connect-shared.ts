import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { CatalogueError, type SharedServer } from '../../protocol/index.ts';
import { authenticatorOf, expiredAt } from './credentials.ts';
import { openConnection } from './open-connection.ts';
import { UnprovenServerError, verifiedTls } from './verified-tls.ts';

/**
 * Connects to one of the addresses of a shared NATS server, in turn, beginning with any of them.
 * @throws CatalogueError nats_unreachable, nats_untrusted, nats_unusable, invalid_setting
 */
export async function connectShared(server: SharedServer, id: string): Promise<NatsConnection> {
  const { servers } = server;
  const first = randomInt(servers.length);
  const failures: Failure[] = [];
  for (const address of [...servers.slice(first), ...servers.slice(0, first)]) {
    try {
      return await connectToOne(server, address, id);
    } catch (cause) {
      if (cause instanceof CatalogueError) throw cause;
      failures.push(failureOf(server, address, cause));
    }
  }
  // A node that is down says less than one that refuses this machine.
  const failure = failures.find(({ isRefusal }) => isRefusal) ?? failures[0];
  throw failure?.error ?? new Error('no address is known');
}

async function connectToOne(server: SharedServer, address: string, id: string): Promise<NatsConnection> {
  const { isTls, authority, credentials } = server;
  const logIn = credentials === null ? () => undefined : authenticatorOf(credentials);
  let hasLoggedIn = false;
  const noting = (nonce?: string) => {
    hasLoggedIn = true;
    return logIn(nonce);
  };
  const verified = verifiedTls(hostOf(address), authority);
  try {
    return await openConnection(id, {
      servers: address,
      ...(isTls ? { tls: verified.tls, authenticator: verified.afterProof(noting) } : { authenticator: noting }),
    });
  } catch (cause) {
    // The server reports a refusal and closes the connection. On a busy machine, the library may notice first that the
    // connection has closed.
    if (!hasLoggedIn || isRefused(cause) || cause instanceof errors.TimeoutError) throw cause;
    if (codesOf(cause).some((code) => WANTS_CERTIFICATE.test(code)) || (isTls && (await wantsCertificate(address))))
      throw new CertificateWantedError();
    throw new errors.AuthorizationError('closed', { cause });
  }
}

class CertificateWantedError extends Error {}

/** How long to wait for a server's first message, which only says why the server has closed a connection. */
const LOOK_MS = 2_000;

/** Reads in a server's first message whether it wants a certificate of each client. */
async function wantsCertificate(address: string): Promise<boolean> {
  const socket = connect({ host: hostOf(address), port: Number(new URL(`nats://${address}`).port) });
  try {
    const [first] = (await once(socket, 'data', { signal: AbortSignal.timeout(LOOK_MS) })) as [Buffer];
    return /"tls_verify":\s*true/.test(first.toString('latin1'));
  } catch {
    return false; // the server is gone
  } finally {
    socket.destroy();
  }
}

const hostOf = (address: string): string => new URL(`nats://${address}`).hostname.replaceAll(/^\[|\]$/g, '');

const isRefused = (cause: unknown): boolean =>
  cause instanceof errors.AuthorizationError || cause instanceof errors.UserAuthenticationExpiredError;

interface Failure {
  error: CatalogueError;
  /** whether the server answered, and cannot be used nevertheless */
  isRefusal: boolean;
}

/** What OpenSSL and Node report about a certificate from an authority that is not trusted. */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
/** What a server reports to a client without a certificate: in TLS 1.3, and in older versions. */
const WANTS_CERTIFICATE = /CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE|ALERT_HANDSHAKE_FAILURE/;
const RENEW = 'Renew the certificate on the server; if it is valid, correct the clock of this machine';

function failureOf(server: SharedServer, address: string, cause: unknown): Failure {
  const refusal = (code: 'nats_untrusted' | 'nats_unusable', message: string, hint: string): Failure => ({
    error: new CatalogueError(code, message, { hint, cause }),
    isRefusal: true,
  });
  const untrusted = (message: string, hint: string): Failure =>
    refusal('nats_untrusted', message, server.isTls ? hint : USE_TLS);
  const of = `The certificate of the NATS server at ${address}`;
  for (const code of codesOf(cause)) {
    if (UNKNOWN_AUTHORITY.has(code)) {
      return untrusted(`${of} is not from an authority that this machine trusts`, nameAuthority(server));
    }
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return untrusted(`${of} is for another name${namesIn(cause)}`, RENAME);
    if (code === 'CERT_HAS_EXPIRED') return untrusted(`${of}, or of its authority, has expired`, RENEW);
    if (code === 'CERT_NOT_YET_VALID') return untrusted(`${of}, or of its authority, is not valid yet`, RENEW);
  }
  if (cause instanceof CertificateWantedError || codesOf(cause).some((code) => WANTS_CERTIFICATE.test(code))) {
    return refusal(
      'nats_unusable',
      `The NATS server at ${address} wants a certificate of this machine`,
      NO_CERTIFICATE,
    );
  }
  if (cause instanceof UnprovenServerError || (server.isTls && messageOf(cause).includes("does not support 'tls'"))) {
    return refusal('nats_untrusted', `The NATS server at ${address} does not use TLS`, NO_TLS);
  }
  if (isRefused(cause)) return { error: refusedBy(address, server.credentials, cause), isRefusal: true };
  const message = `The NATS server at ${server.servers.join(', ')} cannot be used: ${messageOf(cause)}`;
  return { error: new CatalogueError('nats_unreachable', message, { cause }), isRefusal: false };
}

const USE_TLS =
  'This server uses TLS: give its address as `tls://HOST:PORT`, and its authority with --ca FILE unless Node trusts it';
const NO_TLS = 'Enable TLS on the server; in a trusted network, `nats://HOST:PORT` does without it';
const RENAME =
  'Give an address for which the certificate is valid, `--nats tls://HOST:PORT`, or give the server another certificate';
const NO_CERTIFICATE =
  'CBOS proves who it is with credentials or an nkey, not with a certificate: switch `verify` off in the `tls` block of the server, or let it listen on another port without `verify`';

const nameAuthority = ({ authority }: SharedServer): string =>
  authority === null
    ? 'Name the file with the certificate of its authority: `--ca FILE`; in a container, CBOS_FLEET_CA_FILE names it'
    : 'The authority that `--ca FILE` named, or the invitation contained, did not sign it: name the right one with `--ca FILE`';

function refusedBy(address: string, credentials: string | null, cause: unknown): CatalogueError {
  const message = `The NATS server at ${address} cannot be used: it refuses the credentials`;
  if (credentials === null) return new CatalogueError('nats_unreachable', message, { cause });
  const expired = expiredAt(credentials, Date.now());
  const why = expired === null ? '' : `, which expired on ${new Date(expired).toISOString()}`;
  const may = expired === null ? 'They may belong to another server, or have been revoked: create' : 'Create';
  return new CatalogueError('nats_unreachable', `${message}${why}`, {
    hint: `${may} new ones, for example with \`nsc generate creds\`, and give them with --credentials FILE; in a container, CBOS_FLEET_CREDENTIALS_FILE names the file`,
    cause,
  });
}

/** Returns the codes of an error and of its causes. */
function codesOf(cause: unknown): string[] {
  const codes: string[] = [];
  for (let one = cause; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') codes.push(one.code);
  }
  return codes;
}

function namesIn(cause: unknown): string {
  for (let one = cause; one instanceof Error; one = one.cause) {
    const { subjectaltname } = ('cert' in one ? (one.cert as Partial<PeerCertificate>) : null) ?? {};
    if (subjectaltname !== undefined) return `: it is valid for ${subjectaltname}`;
  }
  return '';
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
