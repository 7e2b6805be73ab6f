import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { MachineCall, Member } from './machines.ts';

/** What machines of a fleet say to each other over NATS. A machine that speaks another version is refused. */
export const MACHINE_WIRE_VERSION = 1;

/**
 * A request to another machine. Who asks is not in it: the subject says that, and the NATS server lets nobody publish
 * under the name of another.
 */
export const MachineAsk = z.discriminatedUnion('kind', [
  z.strictObject({ v: z.int(), kind: z.literal('ping') }),
  z.strictObject({ v: z.int(), kind: z.literal('rows') }),
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
 * The sessions of a machine, as it told them. `boot` and `at_ms` are its own monotonic clock: they say how much later
 * one message was written than another, whatever the wall clocks say and however long a message was on its way.
 */
export const MachineRows = z.object({ boot: z.string().max(64), at_ms: z.number(), sessions: z.array(z.unknown()) });
export type MachineRows = z.infer<typeof MachineRows>;

export const MachineStamp = MachineRows.omit({ sessions: true });
export type MachineStamp = z.infer<typeof MachineStamp>;

/** Who belongs to the fleet, as its founder knows it. */
export const Roster = z.object({ founder: z.string(), members: z.array(Member) });
export type Roster = z.infer<typeof Roster>;

/** What a machine with an invitation asks of the founder. The proof is a signature of its own key. */
export const Admission = z.strictObject({
  v: z.int(),
  id: Member.shape.id,
  name: Member.shape.name,
  proof: z.string().max(128),
});
export type Admission = z.infer<typeof Admission>;
