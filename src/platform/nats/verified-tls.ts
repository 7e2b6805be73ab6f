import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Authenticator } from '@nats-io/transport-node';

/** TLS for one connection, together with the knowledge whether the server has proved its identity. */
export interface VerifiedTls {
  /** for the library, which passes it to Node */
  tls: { ca?: string; checkServerIdentity(name: string, certificate: PeerCertificate): Error | undefined };
  /** Returns an authenticator that fails, without having signed anything, until the server has proved its identity. */
  afterProof(logIn: Authenticator): Authenticator;
}

/** What the library reports if an authenticator refuses to sign. */
export class UnprovenServerError extends Error {
  override readonly name = 'UnprovenServerError';
}

/**
 * Verifies the certificate of a server before anything is signed for it.
 * @param host the name or address for which the certificate must be valid, whatever address the library connects to. If
 * that is an IP address, Node would otherwise look for "localhost" in the certificate.
 * @param authority the only trusted authority, in PEM format; null means the authorities that Node trusts
 */
export function verifiedTls(host: string, authority: string | null): VerifiedTls {
  let isProven = false;
  return {
    tls: {
      ...(authority === null ? {} : { ca: authority }),
      // Node calls this function once it has verified that the certificate comes from a trusted authority.
      checkServerIdentity: (_name, certificate) => {
        const fault = checkServerIdentity(host, certificate);
        isProven = fault === undefined;
        return fault;
      },
    },
    // A server announces in clear text whether it supports TLS, and the library (3.4.0) continues without TLS if the
    // announcement says `"tls_available": 1`. A man in the middle could then obtain our signature and use it with the
    // real server.
    afterProof: (logIn) => (nonce) => {
      if (!isProven) throw new UnprovenServerError('the NATS server did not prove its identity');
      return logIn(nonce);
    },
  };
}
