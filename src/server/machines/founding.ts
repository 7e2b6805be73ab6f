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
  withoutInvitation,
  withoutMember,
} from '../../core/machines/index.ts';
import {
  CONFIG_FILE,
  createKey,
  ensureNatsServer,
  isSignedBy,
  LOG_FILE,
  type NatsMessage,
  PID_FILE,
  reloadNatsServer,
  requireProgram,
  stopNatsServer,
} from '../../platform/nats/index.ts';
import { withoutSecrets } from '../../platform/process/index.ts';
import {
  Admission,
  CatalogueError,
  type MachineReply,
  type Member,
  type Right,
  type Tunnel,
  type TunnelState,
  type WireVersion,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import { writeInvitation } from './invitation-line.ts';
import { dialable, type Membership, type MembershipFiles } from './membership.ts';
import { parseMessage } from './parse-message.ts';
import { createTunnels, tunnelOf } from './tunnels.ts';
import { untilAdmitted } from './until-admitted.ts';

export interface FoundingOptions {
  membership: Membership;
  files: MembershipFiles;
  wire: WireVersion;
  environment: Readonly<Record<string, string | undefined>>;
  /** the ssh program and options for it, for tunnels to other machines */
  ssh: readonly string[];
  clock: Clock;
  logger: Logger;
  /** called when the members of the fleet have changed */
  onChange(): void;
  /** resolves when everything sent so far has reached the NATS server */
  flush(): Promise<void>;
}

export interface InvitationRequest {
  rights: readonly Right[];
  validMs: number;
  /** where a tunnel for the machine leads, as ssh understands it; null for a machine that needs none */
  tunnelTo: string | null;
}

export interface Invited {
  /** the public key of the invitation */
  id: string;
  line: string;
  expiresAt: number;
}

/** The founder's tasks: running the NATS server and deciding which machines are admitted. */
export interface Founding {
  /** @throws CatalogueError nats_missing, nats_failed */
  ensure(): Promise<void>;
  members(): readonly Member[];
  /** @throws CatalogueError ssh_missing, tunnel_failed */
  invite(request: InvitationRequest): Promise<Invited>;
  /** Takes an invitation back. Returns the name of the machine that it had admitted, or null. */
  revoke(id: string): Promise<string | null>;
  /** returns the tunnel that this founder keeps open for a member */
  tunnelOf(id: string): (Tunnel & TunnelState) | null;
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
  const { port, listen } = membership;
  const host = listen ?? membership.host;
  const isOwnServer = membership.shared === null;
  const tunnels = createTunnels({
    ...{ ssh: options.ssh, environment, clock, logger },
    target: { host: dialable(host), port },
  });
  /** the machines that were admitted since this server started, by the id of their invitation */
  const admitted = new Map<string, string>();
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
    await tunnels.keep(book.tunnels);
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

  async function openTunnelTo(destination: string): Promise<Tunnel> {
    if (isOwnServer) return tunnels.open(destination);
    const message = 'A tunnel leads to the NATS server of the founder, and this fleet has none';
    const hint = 'Omit the tunnel: the machine connects to the shared NATS server';
    throw new CatalogueError('tunnel_failed', message, { hint });
  }

  async function invite({ rights, validMs }: InvitationRequest, tunnel: Tunnel | null): Promise<Invited> {
    const { id, seed } = createKey();
    const expiresAt = clock.now() + validMs;
    await change({
      ...book,
      invitations: [...book.invitations, { id, rights, expiresAt }],
      tunnels: tunnel === null ? book.tunnels : [...book.tunnels, { ...tunnel, owner: id }],
    });
    const { host: address, authority, founder, shared } = membership;
    const content = { host: address, port, authority, founder, seed };
    if (shared !== null) {
      const { credentials: _, ...server } = shared;
      return { id, line: writeInvitation({ ...content, shared: server }), expiresAt };
    }
    await untilAdmitted({ host: address, dial: dialable(host), port, authority, id, seed });
    return {
      id,
      line: writeInvitation({ ...content, ...(tunnel === null ? {} : { through: tunnel.port }) }),
      expiresAt,
    };
  }

  function answerJoin(message: NatsMessage, invitation: string): MachineReply {
    const asked = Admission.safeParse(parseMessage(message.data)).data;
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
    admitted.set(invitation, asked.id);
    logger.info({ machine: result.member.name, rights: result.member.rights }, 'a machine has joined the fleet');
    return { ok: true, value: result.member };
  }

  return {
    ensure: async () => {
      book = withoutExpired(book, clock.now());
      await tunnels.keep(book.tunnels);
      if (!isOwnServer) return expireLater();
      writeConfig(book);
      const isStarted = await ensureNatsServer({
        dir,
        host: dialable(host),
        port,
        program: requireProgram('nats-server', environment.PATH),
        env: withoutSecrets(environment),
      });
      // A NATS server that is already running may have started before a machine was removed. CBOS makes it reload only
      // once, not at each attempt to connect, because nats-server 2.9.10 refuses a known machine that connects during a
      // reload. In the fleet's torture test, a founder was cut off from its own server for a minute.
      if (!isStarted && !isTold) await reloadNatsServer(dir);
      isTold = true;
      expireLater();
    },
    members: () => book.members,
    invite: async (request) => {
      const tunnel = request.tunnelTo === null ? null : await openTunnelTo(request.tunnelTo);
      try {
        return await invite(request, tunnel);
      } catch (cause) {
        if (tunnel !== null) await tunnels.drop(tunnel);
        throw cause;
      }
    },
    revoke: async (id) => {
      const member = book.members.find((one) => one.id === admitted.get(id));
      if (member === undefined && !book.invitations.some((one) => one.id === id)) return null;
      await change(member === undefined ? withoutInvitation(book, id) : withoutMember(book, member.id));
      if (member !== undefined) options.onChange();
      return member?.name ?? null;
    },
    tunnelOf: (id) => {
      const tunnel = tunnelOf(book.tunnels, id);
      return tunnel === null ? null : { ...tunnel, ...tunnels.stateOf(tunnel) };
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
      await tunnels.close();
      if (isOwnServer) await stopNatsServer(dir);
    },
    dispose: () => stopExpiry(),
  };
}
