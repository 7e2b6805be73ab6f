import { type Anchor, nextAnchor, writtenAt } from '../../core/machines/index.ts';
import { MachineRows, type MachineSessions, MachineStamp, Session } from '../../protocol/index.ts';

/** What is known of one other machine. */
interface Peer {
  anchor: Anchor | null;
  /** when it was certainly there, by our clock; null if it never was */
  heardMs: number | null;
  /** its sessions as it sent them: they are checked only when somebody reads them */
  rows: { sessions: readonly unknown[]; writtenMs: number } | null;
}

export interface Peers {
  /** The machine told its sessions by itself. Reports whether it is known how old that is. */
  onRows(id: string, data: string): boolean;
  /** The machine answered a request that was sent at this time. */
  onAnswer(id: string, askedMs: number, value: unknown): void;
  ageOf(id: string): number | null;
  sessionsOf(id: string): Pick<MachineSessions, 'sessions' | 'unreadable' | 'age_ms'>;
  /** Forgets all machines but these. */
  keep(ids: ReadonlySet<string>): void;
}

/** @param elapsed milliseconds that never decrease, and that go on while this machine sleeps */
export function createPeers(elapsed: () => number): Peers {
  const peers = new Map<string, Peer>();
  const peerOf = (id: string): Peer => {
    const peer = peers.get(id) ?? { anchor: null, heardMs: null, rows: null };
    peers.set(id, peer);
    return peer;
  };
  const take = (peer: Peer, sessions: readonly unknown[], writtenMs: number): void => {
    if (peer.rows === null || peer.rows.writtenMs <= writtenMs) peer.rows = { sessions, writtenMs };
  };

  return {
    onRows: (id, data) => {
      const rows = MachineRows.safeParse(parse(data)).data;
      if (rows === undefined) return true;
      const peer = peerOf(id);
      const writtenMs = writtenAt(rows, peer.anchor, elapsed());
      if (writtenMs === null) return false;
      peer.heardMs = Math.max(peer.heardMs ?? writtenMs, writtenMs);
      take(peer, rows.sessions, writtenMs);
      return true;
    },
    onAnswer: (id, askedMs, value) => {
      const stamp = MachineStamp.safeParse(value).data;
      if (stamp === undefined) return;
      const peer = peerOf(id);
      peer.anchor = nextAnchor(stamp, peer.anchor, askedMs);
      peer.heardMs = askedMs;
      const rows = MachineRows.safeParse(value).data;
      if (rows !== undefined) take(peer, rows.sessions, askedMs);
    },
    ageOf: (id) => age(peers.get(id)?.heardMs ?? null),
    sessionsOf: (id) => {
      const rows = peers.get(id)?.rows ?? null;
      const parsed = (rows?.sessions ?? []).map((row) => Session.safeParse(row));
      return {
        sessions: parsed.flatMap(({ data }) => data ?? []),
        unreadable: parsed.filter(({ success }) => !success).length,
        age_ms: age(rows?.writtenMs ?? null),
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

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null; // another machine may send anything
  }
}
