import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { World } from '../../test/harness/world.ts';
import { collectAges, type Peer, STUB_AGENT } from './peer.ts';

/** tmux, with a client in control mode. */
export function tmuxPeer(): Peer {
  const version = execFileSync('tmux', ['-V'], { encoding: 'utf8' }).trim();
  return {
    name: version,
    async hold(world, sessions) {
      const command = commandIn(world);
      const tmux = (...args: string[]) =>
        execFileSync('tmux', [...command.slice(1), ...args], { env: world.env, encoding: 'utf8' }).trim();
      for (let session = 1; session <= sessions; session++) {
        tmux('new-session', '-d', '-s', `S${session}`, '-x', '80', '-y', '24', STUB_AGENT);
      }
      world.onDispose(() => void tmux('kill-server'));
      return {
        list: [...command, 'list-sessions'],
        async follow() {
          const [program = '', ...args] = [...command, '-C', 'attach', '-t', 'S1'];
          const client = spawn(program, args, { env: world.env, stdio: ['pipe', 'pipe', 'inherit'] });
          const { ages, add } = collectAges();
          client.stdout.setEncoding('latin1').on('data', add);
          return { ages, terminal: tmux('display-message', '-p', '-t', 'S1', '#{pane_tty}') };
        },
      };
    },
  };
}

const commandIn = (world: World): string[] => ['tmux', '-S', join(world.dir, 'tmux'), '-f', '/dev/null'];
