import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { FounderBook } from '../../core/machines/index.ts';
import { MachineFacts, Member, Rights, Roster, SharedServer, Tunnel } from '../../protocol/index.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import { machineIdOf } from './instance.ts';
import { MEMBERSHIP_FILE } from './places.ts';

/** What a machine stores about its membership in a fleet, including the machine's secret. */
const Membership = z.object({
  id: z.string(),
  seed: z.string(),
  name: Member.shape.name,
  host: z.string(),
  port: z.int(),
  /** the address at which the founder's NATS server listens; set only on the founder */
  listen: z.string().nullable(),
  /** PEM; empty on a shared NATS server */
  authority: z.string(),
  /** the NATS server, if CBOS does not run it */
  shared: SharedServer.nullable().default(null),
  founder: z.string(),
  allow: Rights,
  /** a string that identifies the machine and the home; in a copy of the home, it no longer matches */
  place: z.string(),
  /** the port of the loopback interface from which a tunnel leads to the founder; null without a tunnel */
  through: z.int().nullable().default(null),
  /** labels in addition to those of the setting */
  labels: MachineFacts.shape.labels.default([]),
});
export type Membership = z.infer<typeof Membership>;

const Book = z.object({
  members: z.array(Member),
  invitations: z.array(z.object({ id: z.string(), rights: Rights, expiresAt: z.number() })),
  tunnels: z.array(Tunnel.extend({ owner: z.string() })).default([]),
});

/**
 * The files that store a machine's membership, below its home. Each file is replaced as a whole, and other users cannot
 * read it.
 */
export function membershipFiles(home: string) {
  const dir = join(home, 'fleet');
  const natsDir = join(dir, 'nats');
  const file = join(home, MEMBERSHIP_FILE);
  const rosterFile = join(dir, 'roster.json');
  const bookFile = join(natsDir, 'book.json');
  return {
    natsDir,
    read: (): Membership | null => readPrivateFile(file, Membership),
    write: (membership: Membership): void => writePrivateFile(file, membership),
    readRoster: (): Roster | null => readPrivateFile(rosterFile, Roster),
    writeRoster: (roster: Roster): void => writePrivateFile(rosterFile, roster),
    readBook: (): FounderBook => readPrivateFile(bookFile, Book) ?? { members: [], invitations: [], tunnels: [] },
    writeBook: (book: FounderBook): void => writePrivateFile(bookFile, book),
    /**
     * The membership file is removed first, so that this machine no longer counts as a member even if the rest cannot
     * be removed.
     */
    remove: (): void => {
      rmSync(file, { force: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
export type MembershipFiles = ReturnType<typeof membershipFiles>;

/**
 * Returns a string that identifies this machine and this home, by which a copied home is recognized. Two machines with
 * the same key would both carry out requests that are meant for one of them.
 */
export function placeOf(home: string): string {
  // The host name is not part of this string, because a machine may be renamed. A container has no machine id, and gets
  // a new host name at each start.
  return createHash('sha256')
    .update(`${machineIdOf() ?? ''}\n${realpathSync(home)}`)
    .digest('hex');
}

/** Returns how to reach the founder's own NATS server, whose certificate is valid for `host` in any case. */
export function wayTo(membership: Pick<Membership, 'host' | 'port' | 'listen' | 'through'>): {
  host: string;
  port: number;
  dial?: string;
} {
  const { host, port, listen, through } = membership;
  if (through !== null) return { host, dial: LOOPBACK, port: through };
  return { host, port, ...(listen === null ? {} : { dial: dialable(listen) }) };
}

/** Returns the address at which this machine reaches the NATS server, as it is shown to the user. */
export function addressText({ host, port, through }: Membership): string {
  return through === null ? `${host}:${port}` : `${LOOPBACK}:${through}`;
}

const LOOPBACK = '127.0.0.1';

/** Returns the address at which this machine can reach its own server, which listens on the given address. */
export function dialable(host: string): string {
  if (host === '0.0.0.0') return LOOPBACK;
  return host === '::' ? '::1' : host;
}

/** Returns a name for this machine in the form that a fleet accepts. */
export function defaultMachineName(): string {
  const name =
    hostname()
      .split('.')[0]
      ?.toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') ?? '';
  return name.slice(0, 32) || 'machine';
}
