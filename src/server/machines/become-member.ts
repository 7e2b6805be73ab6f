import { lookup } from 'node:dns/promises';
import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { joinSubject } from '../../core/machines/index.ts';
import {
  createKey,
  makeCertificates,
  type NatsLogin,
  NatsRefusedError,
  openNatsLink,
  openSharedLink,
  prepareSharedServer,
  publicKeyOf,
  readAuthority,
  requireMemberRights,
  requireProgram,
  sign,
  stopNatsServer,
} from '../../platform/nats/index.ts';
import {
  CatalogueError,
  isErrorCode,
  MachineReply,
  Member,
  RIGHTS,
  type Right,
  type SharedServer,
  type WireVersion,
} from '../../protocol/index.ts';
import { admissionText } from './founding.ts';
import { readInvitation } from './invitation-line.ts';
import { defaultMachineName, type Membership, type MembershipFiles, placeOf, wayTo } from './membership.ts';
import { parseMessage } from './parse-message.ts';
import { NATS_PORT } from './shared-server-address.ts';

/** How long a joining machine waits for the founder to admit it. */
const JOIN_MS = 20_000;
const NOBODY_INVITED = { invitations: [], tunnels: [] };

interface Becoming {
  home: string;
  files: MembershipFiles;
  /** the machine's name in the fleet; null means the name of the host */
  name: string | null;
}

/**
 * Creates everything that the founder of a fleet needs, and writes its membership file.
 * @throws CatalogueError nats_missing, nats_failed, nats_unreachable, nats_untrusted, nats_unusable,
 * invalid_setting
 */
export async function foundFleet(
  options: Becoming & { address: string | null; nats: SharedServer | null; path: string | undefined },
): Promise<Membership> {
  const { home, files, name, address, path } = options;
  if (options.nats !== null) return foundOnShared({ ...options, nats: options.nats });
  const { host, port } = readAddress(address ?? '127.0.0.1');
  requireProgram('nats-server', path);
  const openssl = requireProgram('openssl', path);
  const listen = isIP(host) === 0 ? await addressOf(host) : host;
  // If leaving an earlier fleet was interrupted, that fleet's NATS server may still be running.
  await stopNatsServer(files.natsDir);
  files.remove();
  mkdirSync(files.natsDir, { recursive: true, mode: 0o700 });
  const { authority } = await makeCertificates({ dir: files.natsDir, host, openssl });
  const { id, seed } = createKey();
  const membership: Membership = {
    id,
    seed,
    name: name ?? defaultMachineName(),
    host,
    port,
    listen,
    authority,
    shared: null,
    founder: id,
    allow: [...RIGHTS],
    place: placeOf(home),
    through: null,
    labels: [],
  };
  files.writeBook({ members: [{ id, name: membership.name, rights: [...RIGHTS] }], ...NOBODY_INVITED });
  files.write(membership);
  return membership;
}

async function foundOnShared(options: Becoming & { nats: SharedServer }): Promise<Membership> {
  const { home, files, name, nats } = options;
  const { id, seed } = createKey();
  await prepareSharedServer(nats, id);
  files.remove();
  const membership: Membership = {
    ...{ id, seed, name: name ?? defaultMachineName(), listen: null, authority: '', shared: nats },
    ...placeInView(nats),
    ...{ founder: id, allow: [...RIGHTS], place: placeOf(home), through: null, labels: [] },
  };
  files.writeBook({ members: [{ id, name: membership.name, rights: [...RIGHTS] }], ...NOBODY_INVITED });
  files.write(membership);
  return membership;
}

/** Returns the address as it is shown to the user. */
function placeInView({ servers: [first = ''] }: SharedServer): { host: string; port: number } {
  const { hostname, port } = new URL(`nats://${first}`);
  return { host: hostname, port: Number(port) };
}

/**
 * Joins a fleet with an invitation. The invitation cannot be used again.
 * @throws CatalogueError invalid_invitation, machine_unreachable, machine_name_taken, nats_unreachable, nats_untrusted,
 * nats_unusable, invalid_setting
 */
export async function joinFleet(
  options: Becoming & {
    line: string;
    allow: readonly Right[];
    labels: readonly string[];
    credentials: string | null;
    /** the authority of a shared NATS server, if not the one in the invitation */
    authority: string | null;
    wire: WireVersion;
  },
): Promise<Membership> {
  const { home, files, line, allow, labels } = options;
  const { host, port, authority, founder, seed, through = null, ...invited } = readInvitation(line);
  const shared = sharedServerOf(invited.shared, options);
  const invitation = publicKeyOf(seed);
  if (invitation === null) throw new CatalogueError('invalid_invitation');
  const key = createKey();
  const name = options.name ?? defaultMachineName();
  const login = { ...wayTo({ host, port, through, listen: null }), authority, id: invitation, seed };
  if (shared !== null) await requireMemberRights(shared, { id: key.id, invitation, founder });
  const opening =
    shared === null ? openNatsLink(login) : openSharedLink({ server: shared, id: invitation, seed, founder });
  const link = await opening.catch((cause: unknown) => {
    if (cause instanceof CatalogueError) throw cause;
    if (cause instanceof NatsRefusedError) throw new CatalogueError('invalid_invitation', undefined, { cause });
    const why = cause instanceof Error ? cause.message : String(cause);
    const address = through === null ? `${host}:${port}` : `port ${through}, through ssh`;
    throw new CatalogueError('machine_unreachable', `The founder cannot be reached at ${address}: ${why}`, {
      hint: 'Check that CBOS is running there, and that this machine can reach the port',
      cause,
    });
  });
  try {
    const admission = {
      ...options.wire,
      id: key.id,
      name,
      proof: sign(key.seed, admissionText(invitation, key.id, name)),
    };
    const outcome = await link.request(joinSubject(invitation), JSON.stringify(admission), JOIN_MS);
    if (outcome.kind !== 'answered') {
      // Another machine used the invitation first, so the server closed this machine's connection before an answer
      // arrived.
      if (shared === null && !(await isAdmitted(login))) {
        throw new CatalogueError('invalid_invitation');
      }
      const other =
        shared === null ? '' : '; if it runs, these credentials are for another account than those of the founder';
      throw new CatalogueError(
        'machine_unreachable',
        "The fleet's NATS server is running, but the founder's CBOS does not answer",
        { hint: `Start CBOS on the founder: \`cbos up\`${other}` },
      );
    }
    const member = memberOf(outcome.data, key.id);
    const membership: Membership = {
      ...key,
      name: member.name,
      host,
      port,
      listen: null,
      authority,
      shared,
      founder,
      allow: [...allow],
      place: placeOf(home),
      through,
      labels: [...labels],
    };
    files.write(membership);
    return membership;
  } finally {
    await link.close();
  }
}

function sharedServerOf(
  invited: Omit<SharedServer, 'credentials'> | undefined,
  { credentials, authority }: { credentials: string | null; authority: string | null },
): SharedServer | null {
  if (invited === undefined) return null;
  return { ...invited, credentials, ...(authority === null ? {} : { authority: readAuthority(authority) }) };
}

/**
 * Reports whether the NATS server still knows a key. Returns true if the server cannot be reached, because the answer
 * is then unknown.
 */
async function isAdmitted(login: NatsLogin): Promise<boolean> {
  try {
    await (await openNatsLink(login)).close();
    return true;
  } catch (cause) {
    return !(cause instanceof NatsRefusedError);
  }
}

function memberOf(data: string, id: string): Member {
  const reply = MachineReply.safeParse(parseMessage(data)).data;
  if (reply?.ok === false) {
    const { code, message } = reply.error;
    throw new CatalogueError(isErrorCode(code) ? code : 'internal', message);
  }
  const member = Member.safeParse(reply?.value).data;
  if (member === undefined || member.id !== id) throw new CatalogueError('machine_version');
  return member;
}

/** Reads `HOST`, `HOST:PORT` or `[IPV6]:PORT`. @throws CatalogueError invalid_setting */
export function readAddress(text: string): { host: string; port: number } {
  if (isIP(text) !== 0) return { host: text, port: NATS_PORT };
  const parts = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?))(?::(\d{1,5}))?$/.exec(text);
  const host = parts?.[1] ?? parts?.[2];
  const port = parts?.[3] === undefined ? NATS_PORT : Number(parts[3]);
  const isBad = host === undefined || port < 1 || port > 65_535 || (parts?.[1] !== undefined && isIP(host) !== 6);
  if (isBad) {
    throw new CatalogueError('invalid_setting', `${JSON.stringify(text)} isn't an address`, {
      hint: 'Give a host, with or without a port, as in `--address 10.0.0.5:4222`',
    });
  }
  return { host, port };
}

/** Returns the address to which a host name resolves. The founder listens only at this address. */
async function addressOf(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (cause) {
    throw new CatalogueError('invalid_setting', `The host name ${host} cannot be resolved`, { cause });
  }
}
