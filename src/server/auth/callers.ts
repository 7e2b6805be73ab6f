import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isSameHome, type LaunchMark, type ProcessTrace, traceProcess } from '../../platform/claude/index.ts';
import { findTcpPeers, peerOfSocket } from '../../platform/process/index.ts';

/** The sender of a request, as far as this machine can determine it. */
export type Caller =
  | { kind: 'person' }
  /** a process inside a session; `slug` is null if the session is unknown */
  | { kind: 'session'; slug: string | null }
  /** the sender is unknown, because the process has already exited or belongs to another pid namespace */
  | { kind: 'unknown' };

const PERSON: Caller = { kind: 'person' };
const UNKNOWN: Caller = { kind: 'unknown' };

export interface Callers {
  /**
   * Identifies the process that has just connected to the local socket. Call this right away, because later the process
   * may have exited and its pid may have been reused.
   */
  see(socket: Socket): void;
  of(request: IncomingMessage): Promise<Caller>;
}

export interface CallersOptions {
  /** the pid of the server's own process */
  pid: number;
  home: string;
  /** returns the session that a process belongs to; null if the process belongs to no session of this home */
  sessionOf(trace: ProcessTrace): string | null;
}

/**
 * Uses a process's ancestors, marks, and resource limits to determine whether the process is inside a session. A server
 * may itself run inside a session of another home, for example while somebody develops or tries out CBOS there. Such a
 * server treats the processes of that session as a person's, because otherwise nobody could use the server.
 */
export function createCallers({ pid: ownPid, home, sessionOf }: CallersOptions): Callers {
  const own = traceProcess(ownPid);
  const connected = new WeakMap<Socket, Caller>();
  const found = new WeakMap<Socket, Promise<Caller>>();

  const isAroundServer = (mark: LaunchMark): boolean =>
    mark.home !== null &&
    !isSameHome(mark.home, home) &&
    own?.marks.some(({ launchId }) => launchId === mark.launchId) === true;

  function callerOf(pid: number): Caller {
    const trace = traceProcess(pid);
    if (trace === null) return UNKNOWN;
    const slug = sessionOf(trace);
    if (slug !== null) return { kind: 'session', slug };
    const isLimited = trace.lockLimit !== null && trace.lockLimit !== own?.lockLimit;
    const isMarked = trace.marks.some((mark) => !isAroundServer(mark));
    return isLimited || isMarked ? { kind: 'session', slug: null } : PERSON;
  }

  /**
   * Identifies the caller at the other end of a TCP connection. If no process is found, the client belongs to another
   * user, a container, or another machine. Such a client counts as a person, because it has the token.
   */
  async function callerOverTcp(socket: Socket): Promise<Caller> {
    const { remoteAddress, localAddress, remotePort: theirs, localPort: ours } = socket;
    if (theirs === undefined || ours === undefined || remoteAddress !== localAddress) return PERSON;
    const holders = (await findTcpPeers({ theirs, ours })).filter((pid) => pid !== ownPid);
    return holders.map(callerOf).find(({ kind }) => kind !== 'person') ?? PERSON;
  }

  return {
    see: (socket) => {
      const pid = peerOfSocket(descriptorOf(socket));
      connected.set(socket, pid === null ? UNKNOWN : callerOf(pid));
    },
    of: ({ socket }) => {
      const seen = connected.get(socket);
      if (seen !== undefined) return Promise.resolve(seen);
      const known = found.get(socket) ?? callerOverTcp(socket);
      found.set(socket, known);
      return known;
    },
  };
}

/** Returns the file descriptor of a connection, which Node exposes only on an internal handle. */
function descriptorOf(socket: Socket): number {
  return (socket as Socket & { _handle?: { fd?: number } | null })._handle?.fd ?? -1;
}
