import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { waitFor } from '../../test/harness/wait-for.ts';
import { agentTerminals, collectAges, type Peer, STUB_AGENT } from './peer.ts';
import { PROGRAMS_MANIFEST, wettyProgram } from './programs.mjs';

interface Socket {
  on(event: 'data', listener: (data: string) => void): void;
  emit(event: 'commit', length: number): void;
  disconnect(): void;
}

/**
 * wetty, a terminal over WebSocket. A session exists as long as a client is connected to it.
 * @returns null where wetty runs no command
 */
export function wettyPeer(): Peer | null {
  const program = wettyProgram();
  if (program === null) return null;
  return {
    name: `wetty ${program.version}`,
    async hold(world, sessions) {
      const port = await world.freePort();
      const args = ['--host', '127.0.0.1', '--port', String(port), '--base', '/wetty', '--command', STUB_AGENT];
      spawn(process.execPath, [program.path, ...args], { env: world.env, cwd: world.projectDir, stdio: 'ignore' });
      const url = `http://127.0.0.1:${port}`;
      await waitFor(async () => (await fetch(`${url}/wetty`).catch(() => null)) !== null, {
        describe: `wetty answers at ${url}`,
        timeoutMs: 60_000,
      });
      const { io } = createRequire(PROGRAMS_MANIFEST)('socket.io-client') as {
        io(url: string, options: object): Socket;
      };
      const connect = (): Socket => {
        const socket = io(url, { path: '/wetty/socket.io', transports: ['websocket'], forceNew: true });
        // The client reports what it has shown; otherwise wetty stops after 2 MB.
        socket.on('data', (data) => socket.emit('commit', data.length));
        world.onDispose(() => socket.disconnect());
        return socket;
      };
      const sockets: Socket[] = [];
      for (let session = 1; session <= sessions; session++) {
        sockets.push(connect());
        await waitFor(() => agentTerminals(world).length === session, {
          describe: `wetty has ${session} sessions`,
          timeoutMs: 60_000,
        });
      }
      return {
        list: null,
        async follow() {
          const { ages, add } = collectAges();
          sockets[0]?.on('data', add);
          return { ages, terminal: agentTerminals(world)[0] ?? '' };
        },
      };
    },
  };
}
