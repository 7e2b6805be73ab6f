import { errors, type Msg, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { seedBytes } from './keys.ts';
import type { NatsLink, NatsMessage } from './link.ts';
import { endsOf, openConnection } from './open-connection.ts';
import { verifiedTls } from './verified-tls.ts';

export interface NatsLogin {
  /** the host for which the server's certificate is valid */
  host: string;
  /**
   * the address to connect to, if it differs from the host; the founder's public name may not resolve on the founder
   * itself
   */
  dial?: string;
  port: number;
  /** the certificate of the fleet's own authority, in PEM format; no other authority is trusted */
  authority: string;
  id: string;
  seed: string;
}

/** Why there is no connection: either the server does not know the key, or it cannot be reached. */
export class NatsRefusedError extends Error {
  override readonly name = 'NatsRefusedError';
}

/**
 * Opens a connection to the NATS server of a founder.
 * @throws NatsRefusedError if the server does not know the key
 */
export async function openNatsLink(login: NatsLogin): Promise<NatsLink> {
  const { host, port, authority, id, seed } = login;
  const dial = login.dial ?? host;
  const logIn = nkeyAuthenticator(seedBytes(seed));
  let hasSigned = false;
  const { tls, afterProof } = verifiedTls(host, authority);
  let connection: NatsConnection;
  try {
    connection = await openConnection(id, {
      servers: `${dial.includes(':') ? `[${dial}]` : dial}:${port}`,
      authenticator: afterProof((nonce) => {
        hasSigned = true;
        return logIn(nonce);
      }),
      tls,
    });
  } catch (cause) {
    // The server reports the refusal and closes the connection. On a busy machine, the library may notice first that
    // the connection has closed.
    const isEnded = hasSigned && !(cause instanceof errors.TimeoutError);
    if (cause instanceof errors.AuthorizationError || isEnded) {
      throw new NatsRefusedError('the NATS server does not know this machine', { cause });
    }
    throw cause;
  }
  return linkOf(connection);
}

function linkOf(connection: NatsConnection): NatsLink {
  const ends = endsOf(connection);
  /** the requests under way, each with what to call once the connection has closed */
  const waiting = new Set<() => void>();
  // Each listener of a promise is kept until the promise is settled, so requests must not add any to this one.
  void ends.closed.then(() => {
    for (const end of waiting) end();
  });
  return {
    ...ends,
    subscribe: (subject, onMessage) => {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) onMessage(messageOf(message));
        },
      });
    },
    publish: (subject, data) => {
      if (!connection.isClosed()) connection.publish(subject, data);
    },
    request: async (subject, data, timeoutMs) => {
      if (connection.isClosed()) return { kind: 'unreachable' };
      let end = (): void => undefined;
      // Without this, a request whose connection has closed would wait until its timeout.
      const closed = new Promise<undefined>((resolve) => {
        end = () => resolve(undefined);
      });
      waiting.add(end);
      try {
        const answer = await Promise.race([connection.request(subject, data, { timeout: timeoutMs }), closed]);
        return answer === undefined ? { kind: 'silent' } : { kind: 'answered', data: answer.string() };
      } catch (cause) {
        const isNobody =
          cause instanceof errors.NoRespondersError ||
          (cause instanceof errors.RequestError && cause.isNoResponders()) ||
          cause instanceof errors.PermissionViolationError;
        return isNobody ? { kind: 'unreachable' } : { kind: 'silent' };
      } finally {
        waiting.delete(end);
      }
    },
    kept: null,
  };
}

function messageOf(message: Msg): NatsMessage {
  return {
    subject: message.subject,
    data: message.string(),
    reply: message.reply,
    respond: (data) => void message.respond(data),
  };
}
