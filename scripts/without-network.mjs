import { spawn } from 'node:child_process';

/**
 * The variable that is set for a process in a separate network with only a loopback interface. Such a network is needed
 * because some versions of Claude Code contact their vendor regardless of their settings (2.1.50 fetches a list of
 * plugins when it starts).
 */
const INSIDE = 'CBOS_RECORDER_INSIDE';

/** Reports whether this process already runs without a network. */
export const isWithoutNetwork = () => process.env[INSIDE] === '1';

/**
 * Runs this program again without a network.
 * @param {AbortSignal} signal ends the program
 * @param {readonly string[]} argv the file and its arguments; those of this process by default
 * @returns {Promise<number>} the program's exit code
 */
export function runWithoutNetwork(signal, argv = process.argv.slice(1)) {
  const command = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...argv];
  // Do not map the user to root: Screen would assign its terminals to a group that is unknown in the new namespace, and
  // fail.
  const as = process.getuid?.() === 0 ? [] : ['--map-current-user', '--keep-caps'];
  const child = spawn('unshare', [...as, '--net', ...command], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`this needs unshare (util-linux) for a network of its own: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
