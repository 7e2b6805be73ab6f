import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  admit,
  type FounderBook,
  invitationOf,
  isInboxOf,
  natsConfig,
  versionGap,
  withName,
  withoutExpired,
  withoutMember,
} from '../../core/machines/index.ts';
import {
  CONFIG_FILE,
  createKey,
  ensureNatsServer,
  isSignedBy,
  LOG_FILE,
  type NatsLogin,
  type NatsMessage,
  openNatsLink,
  PID_FILE,
  reloadNatsServer,
  requireProgram,
  stopNatsServer,
} from '../../platform/nats/index.ts';
import { waitUntil } from '../../platform/process/index.ts';
import {
  Admission,
  CatalogueError,
  type MachineReply,
  type Member,
  type Right,
  type WireVersion,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import { writeInvitation } from './invitation-line.ts';
import type { Membership, MembershipFiles } from './membership.ts';

/** How long to wait for the NATS server to reload its configuration. On a busy machine, this takes a while. */
const RELOAD_MS = 20_000;
const RELOAD_LOOK_MS = 50;

export interface FoundingOptions {
  membership: Membership;
  files: MembershipFiles;
  wire: WireVersion;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  /** called when the members of the fleet have changed */
  onChange(): void;
  /** resolves when everything sent so far has reached the NATS server */
  flush(): Promise<void>;
}

/** The founder's tasks: running the NATS server and deciding which machines are admitted. */
export interface Founding {
  /** @throws CatalogueError nats_missing, nats_failed */
  ensure(): Promise<void>;
  members(): readonly Member[];
  invite(rights: readonly Right[], validMs: number): Promise<{ line: string; expiresAt: number }>;
  /** Answers a machine's request to join. */
  onJoin(message: NatsMessage): void;
  /** @throws CatalogueError machine_name_taken */
  rename(id: string, name: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Ends the NATS server. */
  stop(): Promise<void>;
  dispose: Dispose;
}

/** Returns the text that a machine signs in order to join. */
export const admissionText = (invitation: string, id: string, name: string): string =>
  `cbos-admission ${invitation} ${id} ${name}`;

export function createFounding(options: FoundingOptions): Founding {
  const { membership, files, environment, clock, logger } = options;
  const { natsDir: dir } = files;
  const { listen: host, port } = { listen: membership.listen ?? membership.host, port: membership.port };
  const isOwnServer = membership.shared === null;
  let book: FounderBook = withoutExpired(files.readBook(), clock.now());
  let stopExpiry: Dispose = () => undefined;
  /** whether the NATS server has read the list of members since this CBOS server started */
  let isTold = false;

  function writeConfig(next: FounderBook): void {
    const file = (name: string): string => join(dir, name);
    const text = natsConfig({
      host,
      port,
      pidFile: file(PID_FILE),
      logFile: file(LOG_FILE),
      certFile: file('server.pem'),
      keyFile: file('server.key'),
      founder: membership.id,
      book: next,
    });
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const beside = file(`${CONFIG_FILE}.new`);
    writeFileSync(beside, text, { mode: 0o600 });
    renameSync(beside, file(CONFIG_FILE));
  }

  /**
   * Both files are written before the NATS server reads them. If one of them cannot be written, nothing changes for the
   * fleet, and the user can repeat the command.
   */
  async function change(next: FounderBook): Promise<void> {
    if (isOwnServer) writeConfig(next);
    files.writeBook(next);
    book = next;
    if (isOwnServer) await reloadNatsServer(dir);
    expireLater();
  }

  function expireLater(): void {
    stopExpiry();
    const next = Math.min(...book.invitations.map(({ expiresAt }) => expiresAt));
    if (!Number.isFinite(next)) return;
    stopExpiry = clock.after(Math.max(0, next - clock.now()) + 1, () => {
      change(withoutExpired(book, clock.now())).catch((cause: unknown) =>
        logger.error({ err: cause }, 'an invitation that has expired could not be removed'),
      );
    });
  }

  function answerJoin(message: NatsMessage, invitation: string): MachineReply {
    const asked = Admission.safeParse(parse(message.data)).data;
    const refuse = (error: CatalogueError): MachineReply => ({ ok: false, error: error.toBody() });
    if (asked === undefined || !isSignedBy(asked.id, admissionText(invitation, asked.id, asked.name), asked.proof)) {
      return refuse(new CatalogueError('invalid_invitation', 'The request to join is incomplete'));
    }
    if (versionGap(options.wire, asked) !== 'none') return refuse(new CatalogueError('machine_version'));
    const result = admit(book, { invitation, id: asked.id, name: asked.name, now: clock.now() });
    if (result.outcome === 'refused') return refuse(new CatalogueError(result.because));
    // The list of members is saved before the machine gets its answer, so if two machines use the same invitation, only
    // the first is admitted.
    files.writeBook(result.book);
    book = result.book;
    logger.info({ machine: result.member.name, rights: result.member.rights }, 'a machine has joined the fleet');
    return { ok: true, value: result.member };
  }

  return {
    ensure: async () => {
      book = withoutExpired(book, clock.now());
      if (!isOwnServer) return expireLater();
      writeConfig(book);
      const { CBOS_TOKEN: _, CBOS_FLEET_INVITATION: __, ...env } = environment;
      const isStarted = await ensureNatsServer({
        dir,
        host: dialable(host),
        port,
        program: requireProgram('nats-server', environment.PATH),
        env: Object.fromEntries(
          Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        ),
      });
      // A NATS server that is already running may have started before a machine was removed. CBOS makes it reload only
      // once, not at each attempt to connect, because nats-server 2.9.10 refuses a known machine that connects during a
      // reload. In the fleet's torture test, a founder was cut off from its own server for a minute.
      if (!isStarted && !isTold) await reloadNatsServer(dir);
      isTold = true;
      expireLater();
    },
    members: () => book.members,
    invite: async (rights, validMs) => {
      const { id, seed } = createKey();
      const expiresAt = clock.now() + validMs;
      await change({ ...book, invitations: [...book.invitations, { id, rights, expiresAt }] });
      const { host: address, authority, founder, shared } = membership;
      if (shared !== null) {
        const { servers, isTls } = shared;
        const line = writeInvitation({ host: address, port, authority, founder, seed, shared: { servers, isTls } });
        return { line, expiresAt };
      }
      await untilAdmitted({ host: address, dial: dialable(host), port, authority, id, seed });
      return { line: writeInvitation({ host: address, port, authority, founder, seed }), expiresAt };
    },
    onJoin: (message) => {
      const invitation = invitationOf(message.subject);
      if (!isInboxOf(message.reply, invitation)) return;
      const reply = answerJoin(message, invitation);
      message.respond(JSON.stringify(reply));
      if (!reply.ok) return;
      // The answer must arrive before the server closes the connection that uses the invitation. On a shared NATS
      // server, the book alone decides.
      options
        .flush()
        .then(() => change(book))
        .then(options.onChange)
        .catch((cause: unknown) => logger.error({ err: cause }, 'a machine could not be admitted'));
    },
    rename: async (id, name) => {
      const next = withName(book, id, name);
      if (next === null) {
        throw new CatalogueError('machine_name_taken', `Another machine in the fleet is named ${name}`, {
          hint: 'Choose another name',
        });
      }
      // The NATS server knows machines only by their keys, so it need not be told about a new name.
      files.writeBook(next);
      book = next;
      options.onChange();
    },
    remove: async (id) => {
      await change(withoutMember(book, id));
      options.onChange();
    },
    stop: async () => {
      if (isOwnServer) await stopNatsServer(dir);
    },
    dispose: () => stopExpiry(),
  };
}

/**
 * Waits until the NATS server has reloaded its configuration. The server reloads some time after it has received the
 * signal.
 * @throws CatalogueError nats_failed
 */
async function untilAdmitted(login: NatsLogin): Promise<void> {
  const admitted = await waitUntil(
    async () => {
      try {
        await (await openNatsLink(login)).close();
        return true;
      } catch {
        return null; // The NATS server does not know the key yet, or is busy.
      }
    },
    { timeoutMs: RELOAD_MS, everyMs: RELOAD_LOOK_MS },
  );
  if (admitted === null) throw new CatalogueError('nats_failed', 'The NATS server rejected the invitation');
}

/** Returns the address at which this machine can reach its own server, which listens on the given address. */
export function dialable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null; // Whoever has an invitation may send anything, even invalid JSON.
  }
}
