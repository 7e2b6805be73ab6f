import {
  type Authenticator,
  credsAuthenticator,
  errors,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import {
  askSubject,
  asksOf,
  inboxPrefix,
  joinSubject,
  rosterSubject,
  rowsSubject,
  signerOfAnswer,
  signerOfMessage,
} from '../../core/machines/index.ts';
import { CatalogueError, type SharedServer } from '../../protocol/index.ts';
import { publicKeyOf, seedBytes } from './keys.ts';
import type { KeptText, NatsLink } from './link.ts';
import { endsOf, openConnection } from './open-connection.ts';
import { type BareLink, openKept, sealKept, signLink } from './signed-link.ts';

/** How long JetStream may take, which is long while a cluster elects a leader. */
const JETSTREAM_MS = 5_000;
/** How many copies a cluster keeps. */
const REPLICAS = 3;
/** JetStream's code for "not in a cluster". */
const NOT_CLUSTERED = 10_074;

export interface SharedLogin {
  server: SharedServer;
  id: string;
  seed: string;
  /** the key of the founder */
  founder: string;
}

/**
 * Opens a connection to a shared NATS server, which CBOS does not run. Every message is signed.
 * @throws CatalogueError nats_unreachable
 */
export async function openSharedLink(login: SharedLogin): Promise<NatsLink> {
  const { id, seed, founder } = login;
  const connection = await connectTo(login.server, id);
  const bare = bareLinkOf(connection);
  const signers = {
    ofMessage: (subject: string) => signerOfMessage(subject, founder),
    ofAnswer: (subject: string) => signerOfAnswer(subject, founder),
  };
  return { ...signLink(bare, { id, seed }, signers, inboxPrefix(id)), kept: keptOf(connection, login) };
}

/**
 * Checks that a server can carry a fleet, and creates what the fleet keeps there.
 * @throws CatalogueError nats_unreachable, nats_unusable
 */
export async function prepareSharedServer(server: SharedServer, id: string): Promise<void> {
  const connection = await connectTo(server, id);
  try {
    const info = await api(connection, 'INFO');
    if (info === null)
      throw unusable('JetStream does not answer: it is not enabled, or the credentials do not permit it');
    if (info.error !== undefined)
      throw unusable(`JetStream is not enabled for this account: ${info.error.description}`);
    // Nobody listens yet, so NATS answers at once.
    for (const subject of [askSubject(id, id), rowsSubject(id)]) await requireSending(connection, subject);
    for (const subject of [asksOf(id), joinSubject('*'), `${inboxPrefix(id)}.>`])
      await requireListening(connection, subject);
    await createStream(connection, id);
  } finally {
    await connection.close();
  }
}

/** The stream that keeps the list of a fleet's members. */
const streamOf = (founder: string): string => `CBOS_${founder}`;

async function connectTo({ servers, isTls, credentials }: SharedServer, id: string): Promise<NatsConnection> {
  const authenticator = credentials === null ? {} : { authenticator: authenticatorOf(credentials) };
  try {
    return await openConnection(id, { servers: [...servers], ...(isTls ? { tls: {} } : {}), ...authenticator });
  } catch (cause) {
    const why = cause instanceof errors.AuthorizationError ? 'it refuses the credentials' : messageOf(cause);
    throw new CatalogueError('nats_unreachable', `The NATS server at ${servers.join(', ')} cannot be used: ${why}`, {
      cause,
    });
  }
}

/** @throws CatalogueError invalid_setting */
function authenticatorOf(credentials: string): Authenticator {
  if (credentials.includes('BEGIN NATS USER JWT')) return credsAuthenticator(new TextEncoder().encode(credentials));
  const seed = credentials.trim();
  if (publicKeyOf(seed) !== null) return nkeyAuthenticator(seedBytes(seed));
  throw new CatalogueError(
    'invalid_setting',
    'The credentials are neither a credentials file of NATS nor the seed of an nkey',
    {
      hint: 'Give the file that `nsc generate creds` wrote, or one that contains only a seed: --credentials FILE',
    },
  );
}

function bareLinkOf(connection: NatsConnection): BareLink {
  return {
    ...endsOf(connection),
    subscribe: (subject, onMessage) => {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error !== null) return;
          const isNobody = message.data.length === 0 && message.headers?.code === 503;
          onMessage({ subject: message.subject, data: message.string(), reply: message.reply, isNobody });
        },
      });
    },
    publish: (subject, data, reply) => {
      if (connection.isClosed()) return false;
      try {
        connection.publish(subject, data, reply === undefined ? {} : { reply });
        return true;
      } catch {
        return false; // the message is larger than this server permits, or the connection has just ended
      }
    },
  };
}

function keptOf(connection: NatsConnection, { id, seed, founder }: SharedLogin): KeptText {
  const stream = streamOf(founder);
  const subject = rosterSubject(founder);
  return {
    put: async (text) => {
      const stored = await ask(connection, subject, sealKept({ id, seed }, subject, text));
      return stored !== null && stored.error === undefined && stored.stream === stream;
    },
    get: async () => {
      const found = await api(connection, `STREAM.MSG.GET.${stream}`, { last_by_subj: subject });
      const data = found?.message?.data;
      return data === undefined ? null : openKept(Buffer.from(data, 'base64').toString('utf8'), founder, subject);
    },
  };
}

async function createStream(connection: NatsConnection, founder: string): Promise<void> {
  const stream = streamOf(founder);
  const create = (num_replicas: number) =>
    api(connection, `STREAM.CREATE.${stream}`, {
      ...{
        name: stream,
        subjects: [rosterSubject(founder)],
        retention: 'limits',
        storage: 'file',
        discard: 'old',
        num_replicas,
      },
      // Only the last text counts.
      ...{ max_msgs: -1, max_bytes: -1, max_age: 0, max_consumers: -1, max_msgs_per_subject: 1 },
    });
  let made = await create(REPLICAS);
  if (made?.error?.err_code === NOT_CLUSTERED) made = await create(1);
  if (made === null) throw unusable('JetStream did not create the stream of the fleet in time');
  if (made.error !== undefined)
    throw unusable(`JetStream did not create the stream of the fleet: ${made.error.description}`);
}

interface ApiAnswer {
  error?: { err_code?: number; description?: string };
  stream?: string;
  message?: { data?: string };
}

const api = (connection: NatsConnection, what: string, body?: object): Promise<ApiAnswer | null> =>
  ask(connection, `$JS.API.${what}`, body === undefined ? '' : JSON.stringify(body));

/** Returns the answer of JetStream, or null if there is none. */
async function ask(connection: NatsConnection, subject: string, data: string): Promise<ApiAnswer | null> {
  try {
    const answer: unknown = (await connection.request(subject, data, { timeout: JETSTREAM_MS })).json();
    return typeof answer === 'object' && answer !== null ? answer : null;
  } catch {
    return null;
  }
}

/** @throws CatalogueError nats_unusable */
async function requireListening(connection: NatsConnection, subject: string): Promise<void> {
  const denied = new Promise<boolean>((resolve) => {
    connection.subscribe(subject, { callback: (error) => void (error !== null && resolve(true)) });
    // The server reports a violation before it answers the next ping.
    void connection.flush().then(() => setImmediate(() => resolve(false)));
  });
  if (await denied) throw unusable(`The credentials do not permit listening on ${subject}`);
}

/** @throws CatalogueError nats_unusable */
async function requireSending(connection: NatsConnection, subject: string): Promise<void> {
  try {
    await connection.request(subject, '', { timeout: JETSTREAM_MS });
  } catch (error) {
    const cause = error instanceof errors.RequestError ? error.cause : error;
    if (cause instanceof errors.PermissionViolationError) {
      throw unusable(`The credentials do not permit sending on ${subject}`);
    }
    // Nobody listens, which is right.
  }
}

const unusable = (message: string): CatalogueError => new CatalogueError('nats_unusable', message);
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
