import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { MachineCall, Member, Rights } from './machines.ts';

/**
 * The version of the messages that machines in a fleet exchange over NATS. A machine with a different version is
 * refused.
 */
export const MACHINE_WIRE_VERSION = 1;

/**
 * Identifies a list of sessions that a machine sent. The revision grows with each change, and starts over with the
 * server.
 */
export const RowsVersion = z.object({ boot: z.string().max(64), revision: z.int() });
export type RowsVersion = z.infer<typeof RowsVersion>;

/**
 * A request to another machine. It does not contain its sender, because the subject names the sender, and the NATS
 * server lets no machine publish under another name.
 */
export const MachineAsk = z.discriminatedUnion('kind', [
  z.strictObject({ v: z.int(), kind: z.literal('ping') }),
  z.strictObject({ v: z.int(), kind: z.literal('rows'), known: RowsVersion.optional() }),
  z.strictObject({ v: z.int(), kind: z.literal('roster') }),
  z.strictObject({ v: z.int(), kind: z.literal('ticket') }),
  z.strictObject({ v: z.int(), kind: z.literal('call'), call: MachineCall, ticket: z.string().max(64).nullable() }),
  z.strictObject({ v: z.int(), kind: z.literal('leave') }),
]);
export type MachineAsk = z.infer<typeof MachineAsk>;

export const MachineReply = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), error: ErrorBody }),
]);
export type MachineReply = z.infer<typeof MachineReply>;

/**
 * The sessions on a machine, as it sent them. `boot` and `at_ms` belong to its own monotonic clock. The times show how
 * much later one message was written than another, regardless of the wall clocks and of how long a message took to
 * arrive.
 */
export const MachineStamp = z.object({ boot: z.string().max(64), at_ms: z.number() });
export type MachineStamp = z.infer<typeof MachineStamp>;

export const MachineRows = MachineStamp.extend({
  revision: z.int(),
  /** null if the asker already has this revision */
  sessions: z.array(z.unknown()).nullable(),
  /** the rights of the asking machine there; only in an answer */
  may: Rights.optional(),
});
export type MachineRows = z.infer<typeof MachineRows>;

/** The members of the fleet, as its founder knows them. */
export const Roster = z.object({ founder: z.string(), members: z.array(Member) });
export type Roster = z.infer<typeof Roster>;

/**
 * The request to the founder from a machine with an invitation. The proof is a signature with the machine's own key.
 */
export const Admission = z.strictObject({
  v: z.int(),
  id: Member.shape.id,
  name: Member.shape.name,
  proof: z.string().max(128),
});
export type Admission = z.infer<typeof Admission>;
