import { spawn } from 'node:child_process';

/**
 * Set for a process in a separate network that has only loopback. Some versions of Claude Code contact their vendor
 * whatever their settings are (2.1.50 fetches a list of plugins when it starts).
 */
const INSIDE = 'CBOS_RECORDER_INSIDE';

/** Reports whether this process is already without a network. */
export const isWithoutNetwork = () => process.env[INSIDE] === '1';

/**
 * Runs this program again without a network.
 * @param {AbortSignal} signal ends it
 * @param {readonly string[]} argv its file and its arguments; the same ones by default
 * @returns {Promise<number>} its exit code
 */
export function runWithoutNetwork(signal, argv = process.argv.slice(1)) {
  const command = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...argv];
  // This is never run as a mapped root. Screen would assign its terminals to a group that is unknown there, and fail.
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
