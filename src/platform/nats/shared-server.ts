import { errors, type NatsConnection } from '@nats-io/transport-node';
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
import { connectShared } from './connect-shared.ts';
import type { KeptText, NatsLink } from './link.ts';
import { endsOf } from './open-connection.ts';
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
 * @throws CatalogueError nats_unreachable, nats_untrusted, nats_unusable
 */
export async function openSharedLink(login: SharedLogin): Promise<NatsLink> {
  const { id, seed, founder } = login;
  const connection = await connectShared(login.server, id);
  const bare = bareLinkOf(connection);
  const signers = {
    ofMessage: (subject: string) => signerOfMessage(subject, founder),
    ofAnswer: (subject: string) => signerOfAnswer(subject, founder),
  };
  return { ...signLink(bare, { id, seed }, signers, inboxPrefix(id)), kept: keptOf(connection, login) };
}

/**
 * Checks that a server can carry a fleet, and creates what the fleet keeps there.
 * @throws CatalogueError nats_unreachable, nats_untrusted, nats_unusable, invalid_setting
 */
export async function prepareSharedServer(server: SharedServer, id: string): Promise<void> {
  const connection = await connectShared(server, id);
  try {
    await requireRights(connection, {
      send: [askSubject(id, id), rowsSubject(id), rosterSubject(id), `${inboxPrefix(id)}.check`, '$JS.API.INFO'],
      listen: [asksOf(id), joinSubject('*'), `${inboxPrefix(id)}.>`],
    });
    const info = await api(connection, 'INFO');
    if (info === null)
      throw unusable('JetStream does not answer: it is not enabled, or the credentials do not permit it');
    if (info.error !== undefined)
      throw unusable(`JetStream is not enabled for this account: ${info.error.description}`);
    await createStream(connection, id);
  } finally {
    await connection.close();
  }
}

/**
 * Checks that a server can be used, and that its credentials let a machine join a fleet.
 * @throws CatalogueError nats_unreachable, nats_untrusted, nats_unusable
 */
export async function requireMemberRights(
  server: SharedServer,
  { id, invitation, founder }: { id: string; invitation: string; founder: string },
): Promise<void> {
  const connection = await connectShared(server, id);
  try {
    await requireRights(connection, {
      send: [
        ...[joinSubject(invitation), askSubject(founder, id), rowsSubject(id), `${inboxPrefix(founder)}.check`],
        `$JS.API.STREAM.MSG.GET.${streamOf(founder)}`,
      ],
      listen: [
        ...[asksOf(id), rowsSubject('*'), rosterSubject(founder)],
        ...[`${inboxPrefix(id)}.>`, `${inboxPrefix(invitation)}.>`],
      ],
    });
  } finally {
    await connection.close();
  }
}

/** The stream that keeps the list of a fleet's members. */
const streamOf = (founder: string): string => `CBOS_${founder}`;

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

interface Subjects {
  send: readonly string[];
  listen: readonly string[];
}

/** @throws CatalogueError nats_unusable */
async function requireRights(connection: NatsConnection, { send, listen }: Subjects): Promise<void> {
  const denied: string[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      denied.push(`${operation === 'publish' ? 'sending' : 'listening'} on ${subject}`);
    }
  })();
  const subscriptions = listen.map((subject) => connection.subscribe(subject, { callback: () => undefined }));
  // An empty message is not signed, so whoever receives it drops it.
  for (const subject of send) connection.publish(subject);
  // The server reports a violation before it answers the next ping.
  await connection.flush();
  await new Promise((resolve) => setImmediate(resolve));
  for (const subscription of subscriptions) subscription.unsubscribe();
  if (denied.length > 0) throw unusable(`The credentials do not permit ${denied[0]}`);
}

const unusable = (message: string): CatalogueError => new CatalogueError('nats_unusable', message);
