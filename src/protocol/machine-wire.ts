import { z } from 'zod';
import { ErrorBody } from './error-body.ts';
import { StoredEvent } from './json-session.ts';
import { MachineCall, Member, Rights } from './machines.ts';

/**
 * The version of the messages that machines in a fleet exchange over NATS. `src/core/machines/versions.ts` decides
 * which versions work together.
 */
export const MACHINE_WIRE = { v: 2, minor: 1 } as const;

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

/** Identifies a watch. The machine that watches chooses it. */
const WatchId = z.string().min(1).max(64);
const SlugText = z.string().max(64);
const Offset = z.int().min(0);

/**
 * What a watched session has just shown: output of its terminal (an empty one if only its size or its recording has
 * changed), or events of a JSON session. After `refused`, the watch has ended.
 */
export const WatchNews = z.discriminatedUnion('of', [
  z.object({
    of: z.literal('terminal'),
    /** the offset of the first byte in the recording with this epoch */
    from: Offset,
    epoch: Offset,
    /** the offset of the first byte that can still be read */
    start: Offset,
    cols: z.int(),
    rows: z.int(),
    /** the bytes, in base64: they may be no valid UTF-8, and JSON would need six characters for each escape */
    data: z.string(),
  }),
  z.object({ of: z.literal('events'), events: z.array(StoredEvent) }),
  z.object({ of: z.literal('refused'), error: ErrorBody }),
]);
export type WatchNews = z.infer<typeof WatchNews>;

/** Where a watch begins: at an offset of a recording, or after an event of a JSON session (`epoch` is then 0). */
export const WatchBegun = z.object({
  boot: z.string().max(64),
  from: Offset,
  epoch: Offset,
  start: Offset,
  size: z.object({ cols: z.int(), rows: z.int() }).nullable(),
});
export type WatchBegun = z.infer<typeof WatchBegun>;

/** The answer to `watched`: whether to send more. If not, the watch has ended until it is requested again. */
export const WatchTaken = z.object({ more: z.boolean() });

/** A part of a recording, in base64. */
export const ReadBytes = z.object({ data: z.string() });

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
  // Since 2.1: the owner of a session sends what the session shows, as requests of the kind `watched`.
  WireVersion.extend({
    kind: z.literal('watch'),
    watch: WatchId,
    slug: SlugText,
    of: z.enum(['terminal', 'events']),
    /** what the machine has already; without it, the watch begins now */
    from: Offset.optional(),
    epoch: Offset.optional(),
  }),
  WireVersion.extend({ kind: z.literal('unwatch'), watch: WatchId }),
  WireVersion.extend({ kind: z.literal('watched'), watch: WatchId, news: WatchNews }),
  WireVersion.extend({ kind: z.literal('read'), slug: SlugText, epoch: Offset, from: Offset, to: Offset }),
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

/**
 * What has changed in a list of sessions since an earlier revision. Version 2.0 ignores this, and sees the change once
 * it asks for the list.
 */
export const RowsChange = z.object({
  from: z.int(),
  /** the rows that are new or different */
  sessions: z.array(z.unknown()),
  /** the names of sessions that are no longer listed */
  removed: z.array(z.string()),
});
export type RowsChange = z.infer<typeof RowsChange>;

export const MachineRows = MachineStamp.extend({
  revision: z.int(),
  /** null if the requesting machine already has this revision, or if `change` leads to it */
  sessions: z.array(z.unknown()).nullable(),
  change: RowsChange.optional(),
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
