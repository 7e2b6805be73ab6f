import { CatalogueError } from '../../protocol/index.ts';
import { isAlive, listProcesses, readArgv, signal, waitUntil } from '../process/index.ts';
import { lastWords, type SshCall, sshArguments } from './ssh-arguments.ts';
import { type SshEnd, startSsh } from './ssh-process.ts';

/** The text that the other machine sends back as soon as the tunnel is open. */
const PROBE = 'cbos-tunnel';
/** How long to wait for a tunnel, including the time that ssh needs to connect. */
const OPEN_MS = 30_000;
/** How long to wait for the ssh of an earlier server to end, and how often to check whether it has. */
const END_MS = 2_000;
const LOOK_EVERY_MS = 20;

export interface OpenTunnelOptions {
  ssh: readonly string[];
  destination: string;
  /** the port of the loopback interface of the other machine */
  port: number;
  /** where the connections from that port lead */
  target: { host: string; port: number };
  environment: Readonly<Record<string, string | undefined>>;
}

/** Why a tunnel is not open. */
export interface TunnelEnd {
  /** whether the other machine refused the port, which a program there may use */
  isPortTaken: boolean;
  /** whether there is no ssh program */
  isMissing: boolean;
  /** ssh's last words */
  said: string;
}

export interface OpenTunnel {
  /** resolves with null once the tunnel is open, or with the reason why it never was */
  opened: Promise<TunnelEnd | null>;
  /** resolves when the tunnel has ended, for whatever reason */
  ended: Promise<TunnelEnd>;
  close(): Promise<void>;
}

function tunnelCall({ ssh, destination, port, target }: OpenTunnelOptions): SshCall {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  return {
    ...{ ssh, destination, command: 'cat' },
    options: [
      'BatchMode=yes',
      // A connection that this one shares could outlive it, with the tunnel.
      'ControlPath=none',
      'ExitOnForwardFailure=yes',
      `RemoteForward=127.0.0.1:${port} ${host}:${target.port}`,
    ],
  };
}

/**
 * Ends the ssh that an earlier server of this home left behind when it was killed. That ssh would keep the port, and
 * nobody could close it any more. It is recognized by its arguments, which contain both ports.
 */
export async function endLeftTunnel(options: OpenTunnelOptions): Promise<void> {
  const wanted = sshArguments(tunnelCall(options)).slice(1).join('\0');
  for (const info of await listProcesses()) {
    // The program may have been found in PATH, so only its arguments are compared.
    if ((await readArgv(info.pid)).slice(1).join('\0') !== wanted) continue;
    await signal(info, 'SIGTERM');
    await waitUntil(async () => ((await isAlive(info)) ? null : true), { timeoutMs: END_MS, everyMs: LOOK_EVERY_MS });
  }
}

/**
 * Opens a tunnel: connections to a port of the other machine's loopback interface reach a server here. ssh may ask
 * nobody.
 *
 * The other machine runs `cat`. Its echo shows that the tunnel is open. If this process is killed, `cat` reads the end
 * of its input, and ssh ends with it, but only when nothing uses the tunnel any more (see `endLeftTunnel`).
 * @throws CatalogueError process_limit, invalid_request
 */
export function openTunnel(options: OpenTunnelOptions): OpenTunnel {
  const ssh = startSsh({ ...tunnelCall(options), environment: options.environment });
  let isLate = false;
  const tunnelEnd = (end: SshEnd): TunnelEnd => {
    const isPortTaken = ssh.said().includes('remote port forwarding failed');
    if (end.kind === 'not_started') {
      const isMissing = end.error instanceof CatalogueError && end.error.code === 'ssh_missing';
      return { isPortTaken, isMissing, said: end.error.message };
    }
    const late = `the tunnel was not open after ${OPEN_MS / 1_000} s`;
    const said = isLate ? late : lastWords(ssh.said()) || 'ssh ended without a reason';
    return { isPortTaken, isMissing: false, said };
  };
  const ended = ssh.ended.then(tunnelEnd);
  const opened = new Promise<TunnelEnd | null>((resolve) => {
    const timer = setTimeout(() => {
      isLate = true;
      ssh.end();
    }, OPEN_MS);
    let tail = '';
    ssh.stdout.on('data', (text: string) => {
      const echoed = tail + text;
      tail = echoed.slice(-PROBE.length);
      if (!echoed.includes(PROBE)) return;
      clearTimeout(timer);
      resolve(null);
    });
    void ended.then((end) => {
      clearTimeout(timer);
      resolve(end);
    });
  });
  ssh.stdin.write(`${PROBE}\n`);
  return { opened, ended, close: ssh.close };
}
