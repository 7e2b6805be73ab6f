import { type Anchor, canBeWatched, nextAnchor, versionGap, writtenAt } from '../../core/machines/index.ts';
import {
  isSlug,
  MachineFacts,
  MachineRows,
  type MachineSessions,
  MachineStamp,
  type Right,
  type RowsVersion,
  Session,
  type WireVersion,
} from '../../protocol/index.ts';
import { parseMessage } from './parse-message.ts';

type Listed = Pick<MachineSessions, 'sessions' | 'unreadable'>;

/** The sessions of another machine, as that machine sent them. */
interface Told extends RowsVersion {
  sessions: readonly unknown[];
  /** the earliest time at which the list can have been written, according to this machine's clock */
  writtenMs: number;
  /** the validated sessions; null until they are first read */
  read: Listed | null;
}

/** The versions of a machine, as it last stated them. */
export type Presence = Pick<MachineStamp, 'v' | 'minor' | 'cbos'>;

/** What this machine knows about one other machine. */
interface Peer {
  presence: Presence | null;
  anchor: Anchor | null;
  /** when the other machine was last known to be reachable, according to this machine's clock; null if never */
  heardMs: number | null;
  may: readonly Right[];
  /** what the machine has reported about itself; null if nothing */
  facts: MachineFacts | null;
  rows: Told | null;
}

export interface Peers {
  /** Accepts sessions that a machine sent without a request. Returns false if their age is unknown. */
  onRows(id: string, data: string): boolean;
  /** Accepts a machine's answer to a request that was sent at `askedMs`. */
  onAnswer(id: string, askedMs: number, value: unknown): void;
  ageOf(id: string): number | null;
  factsOf(id: string): MachineFacts | null;
  /** returns the machine's versions; null if it has not stated them */
  presenceOf(id: string): Presence | null;
  /**
   * Returns the version of the list that this machine already has, so that the other machine need not send the same
   * list again.
   */
  known(id: string): RowsVersion | null;
  sessionsOf(id: string): Listed & Pick<MachineSessions, 'age_ms' | 'may' | 'live'>;
  /** Forgets all machines except these. */
  keep(ids: ReadonlySet<string>): void;
}

/**
 * @param elapsed returns milliseconds from a clock that never goes back, and that keeps running while this machine is
 * suspended
 * @param wire this machine's own version; lists from machines whose version is too different are not read
 */
export function createPeers(elapsed: () => number, wire: WireVersion): Peers {
  const peers = new Map<string, Peer>();
  const peerOf = (id: string): Peer => {
    const peer = peers.get(id) ?? { presence: null, anchor: null, heardMs: null, may: [], facts: null, rows: null };
    peers.set(id, peer);
    return peer;
  };
  /** Returns false if the message only says what has changed in a list that is not known here. */
  const take = (peer: Peer, message: MachineRows, writtenMs: number): boolean => {
    const { boot, revision } = message;
    const { rows } = peer;
    const isSame = rows !== null && rows.boot === boot && rows.revision === revision;
    // The machine's list has not changed, so the list that is already known is as recent as the message.
    if (isSame) rows.writtenMs = Math.max(rows.writtenMs, writtenMs);
    if (isSame && message.sessions === null) return true;
    const isOlder = rows !== null && (rows.boot === boot ? revision < rows.revision : writtenMs < rows.writtenMs);
    if (isOlder) return true;
    const sessions = message.sessions ?? changedRows(rows, message);
    if (sessions !== null) peer.rows = { boot, revision, sessions, writtenMs, read: null };
    return sessions !== null || message.change === undefined;
  };

  return {
    onRows: (id, data) => {
      const content = parseMessage(data);
      const stamp = MachineStamp.safeParse(content).data;
      if (stamp === undefined) return true;
      const peer = peerOf(id);
      peer.presence = stamp;
      if (versionGap(wire, stamp) !== 'none') return false;
      const rows = MachineRows.safeParse(content).data;
      if (rows === undefined) return true;
      const writtenMs = writtenAt(rows, peer.anchor, elapsed());
      if (writtenMs === null) return false;
      peer.heardMs = Math.max(peer.heardMs ?? writtenMs, writtenMs);
      return take(peer, rows, writtenMs);
    },
    onAnswer: (id, askedMs, value) => {
      const stamp = MachineStamp.safeParse(value).data;
      if (stamp === undefined) return;
      const peer = peerOf(id);
      peer.presence = stamp;
      peer.anchor = nextAnchor(stamp, peer.anchor, askedMs);
      peer.heardMs = askedMs;
      peer.facts = MachineFacts.safeParse(value).data ?? peer.facts;
      const rows = MachineRows.safeParse(value).data;
      if (rows === undefined) return;
      peer.may = rows.may ?? [];
      take(peer, rows, askedMs);
    },
    ageOf: (id) => age(peers.get(id)?.heardMs ?? null),
    factsOf: (id) => peers.get(id)?.facts ?? null,
    presenceOf: (id) => peers.get(id)?.presence ?? null,
    known: (id) => {
      const rows = peers.get(id)?.rows ?? null;
      return rows === null ? null : { boot: rows.boot, revision: rows.revision };
    },
    sessionsOf: (id) => {
      const peer = peers.get(id);
      const rows = peer?.rows ?? null;
      if (rows !== null) rows.read ??= read(rows.sessions);
      return {
        ...(rows?.read ?? { sessions: [], unreadable: 0 }),
        age_ms: age(rows?.writtenMs ?? null),
        may: [...(peer?.may ?? [])],
        ...(peer?.presence == null ? {} : { live: canBeWatched(peer.presence) }),
      };
    },
    keep: (ids) => {
      for (const id of peers.keys()) if (!ids.has(id)) peers.delete(id);
    },
  };

  function age(sinceMs: number | null): number | null {
    return sinceMs === null ? null : Math.max(0, Math.round(elapsed() - sinceMs));
  }
}

/** Returns a list with a change, or null if the change is to a list that is not known here. */
function changedRows(known: Told | null, { boot, change }: MachineRows): readonly unknown[] | null {
  if (change === undefined || known?.boot !== boot || known.revision < change.from) return null;
  const rows = new Map(known.sessions.map((row) => [nameOf(row), row]));
  for (const slug of change.removed) rows.delete(slug);
  for (const row of change.sessions) rows.set(nameOf(row), row);
  return [...rows.values()];
}

const nameOf = (row: unknown): unknown => (row as { slug?: unknown } | null)?.slug;

/** The rows that were validated before. A change leaves most of a list as it was. */
const validated = new WeakMap<object, Session | null>();

function read(rows: readonly unknown[]): Listed {
  const sessions = rows.map(readRow).filter((session) => session !== null);
  return { sessions, unreadable: rows.length - sessions.length };
}

function readRow(row: unknown): Session | null {
  if (typeof row !== 'object' || row === null) return null;
  const known = validated.get(row);
  if (known !== undefined) return known;
  const session = Session.safeParse(row).data;
  // Names are validated too, because another machine may send anything and names become parts of URLs.
  const read = session === undefined || !isSlug(session.slug) ? null : session;
  validated.set(row, read);
  return read;
}
