import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { MachineCall, Member, Rights } from './machines.ts';

/**
 * The version of the messages that machines in a fleet exchange over NATS. `src/core/machines/versions.ts` decides
 * which versions work together.
 */
export const MACHINE_WIRE = { v: 2, minor: 0 } as const;

/** The part of each message that every version can read. A message without a version is from version 1.0. */
export const WireVersion = z.object({ v: z.int().default(1), minor: z.int().default(0) });
export type WireVersion = z.infer<typeof WireVersion>;

/**
 * Identifies a list of sessions that a machine sent. The revision increases with each change, and starts over when the
 * server is restarted.
 */
export const RowsVersion = z.object({ boot: z.string().max(64), revision: z.int() });
export type RowsVersion = z.infer<typeof RowsVersion>;

/**
 * A permit to make one change, and the server that issued it. No other server with the same key accepts this permit.
 */
export const MachineTicket = z.object({ boot: z.string().max(64), ticket: z.string().max(64) });
export type MachineTicket = z.infer<typeof MachineTicket>;

/**
 * A request to another machine. The request itself does not name its sender: the NATS subject does. The founder's NATS
 * server prevents machines from publishing under another machine's name. On a shared NATS server, signatures do.
 */
export const MachineAsk = z.discriminatedUnion('kind', [
  // Every version answers a ping from every other version. This is how machines learn each other's version.
  WireVersion.extend({ kind: z.literal('ping') }),
  WireVersion.extend({ kind: z.literal('rows'), known: RowsVersion.optional() }),
  WireVersion.extend({ kind: z.literal('roster') }),
  WireVersion.extend({ kind: z.literal('ticket') }),
  WireVersion.extend({ kind: z.literal('call'), call: MachineCall, ticket: MachineTicket.nullable() }),
  WireVersion.extend({ kind: z.literal('rename'), name: Member.shape.name, ticket: MachineTicket }),
  WireVersion.extend({ kind: z.literal('leave') }),
]);
export type MachineAsk = z.infer<typeof MachineAsk>;

export const MachineReply = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), error: ErrorBody }),
]);
export type MachineReply = z.infer<typeof MachineReply>;

/**
 * The sessions on a machine, as the machine sent them. `boot` and `at_ms` refer to the machine's own monotonic clock.
 * They show how much time passed between the writing of two messages, regardless of wall clocks and of how long the
 * messages took to arrive.
 */
export const MachineStamp = WireVersion.extend({
  boot: z.string().max(64),
  at_ms: z.number(),
  /** the version of CBOS, for display */
  cbos: z.string().max(64).nullable().default(null),
});
export type MachineStamp = z.infer<typeof MachineStamp>;

export const MachineRows = MachineStamp.extend({
  revision: z.int(),
  /** null if the requesting machine already has this revision */
  sessions: z.array(z.unknown()).nullable(),
  /** the rights that the requesting machine has on this one; present only in an answer */
  may: Rights.optional(),
});
export type MachineRows = z.infer<typeof MachineRows>;

/** The members of the fleet, as its founder knows them. The revision increases with each change. */
export const Roster = WireVersion.extend({
  founder: z.string(),
  revision: z.int().default(0),
  members: z.array(Member),
});
export type Roster = z.infer<typeof Roster>;

/**
 * The request that a machine with an invitation sends to the founder. The proof is a signature made with the machine's
 * own key.
 */
export const Admission = WireVersion.extend({
  id: Member.shape.id,
  name: Member.shape.name,
  proof: z.string().max(128),
});
export type Admission = z.infer<typeof Admission>;
