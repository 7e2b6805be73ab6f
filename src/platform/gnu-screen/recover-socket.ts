import { rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { ignoreMissing } from '../files/ignore-missing.ts';
import { signal } from '../process/end-tree.ts';
import { isAlive, type ProcessId } from '../process/proc-file.ts';
import { runProgram } from '../process/run-program.ts';
import { waitUntil } from '../process/wait-until.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import { findScreen, type KnownScreen, type ScreenSession } from './list-screens.ts';

/** Screen refuses any other mode: "Directory … must have mode 700". */
const PRIVATE = 0o700;
/** How often to check for the socket. The daemon creates it within a few milliseconds. */
const LOOK_EVERY_MS = 20;
/** When to ask a daemon again if it was suspended, or if its new socket was removed before anyone saw it. */
const ASK_AGAIN_MS = 10_000;

/**
 * Finds a session under its current name. If the session's socket was removed while its daemon is alive (as programs
 * that clean /tmp and /run do), this function asks the daemon to create the socket again.
 * @returns null if there is no socket and none can be created
 */
export async function reachScreen(host: ScreenHost, known: KnownScreen): Promise<ScreenSession | null> {
  const found = await findScreen(host, known);
  const { daemon } = known;
  if (daemon == null) return found;
  if (found !== null) forgetLoss(host, daemon);
  else if (await recoverSocket(host, { ...known, daemon })) return findScreen(host, known);
  return found;
}

/** Records that the session has its socket, so that the next disappearance of the socket counts as a new loss. */
export function forgetLoss(host: Pick<ScreenHost, 'recoveries'>, daemon: ProcessId): void {
  host.recoveries.delete(keyOf(daemon));
}

type Lost = KnownScreen & { daemon: ProcessId };

/** Runs only once for each loss. All callers that need the session in the meantime wait for the same answer. */
function recoverSocket(host: ScreenHost, lost: Lost): Promise<boolean> {
  const key = keyOf(lost.daemon);
  const known = host.recoveries.get(key);
  if (known !== undefined) return known;
  const recovery = askDaemon(host, lost).then((outcome) => {
    if (outcome !== 'no_answer') forgetLoss(host, lost.daemon);
    else setTimeout(() => forgetLoss(host, lost.daemon), ASK_AGAIN_MS).unref();
    return outcome === 'made';
  });
  host.recoveries.set(key, recovery);
  return recovery;
}

/**
 * Asks the daemon to recreate its socket. On SIGCHLD, Screen checks for its socket and, if the socket is missing,
 * creates it again, this time as a FIFO (4.9.0). If that fails, Screen *ends*, together with everything that runs in
 * it. CBOS therefore asks the daemon only if a file can be created in its directory.
 */
async function askDaemon(host: ScreenHost, lost: Lost): Promise<'made' | 'no_answer' | 'not_asked'> {
  if (!(await preparePlace(host))) return 'not_asked';
  await signal(lost.daemon, 'SIGCHLD');
  const look = async (): Promise<'made' | 'no_answer' | null> => {
    if ((await findScreen(host, lost)) !== null) return 'made';
    return (await isAlive(lost.daemon)) ? null : 'no_answer';
  };
  return (await waitUntil(look, { timeoutMs: SCREEN_TIMEOUT_MS, everyMs: LOOK_EVERY_MS })) ?? 'no_answer';
}

/** Returns why a session cannot be reached, and what the user can do about it. */
export async function unreachable(host: ScreenHost, { id, daemon }: Lost): Promise<CatalogueError> {
  const { dir } = host;
  const cure = (await isPlace(dir))
    ? `The daemon ${daemon.pid} does not create a socket in ${dir}: it may be stopped (kill -CONT ${daemon.pid} resumes it), or use another SCREENDIR`
    : `Run mkdir -p ${dir} && chmod 700 ${dir}; CBOS then has the daemon create the socket again`;
  return new CatalogueError('screen_unreachable', `The socket of the Screen session ${id} no longer exists`, {
    hint: cure,
  });
}

/** Reports whether Screen can create sockets in its directory. Creates the directory if it is missing. */
async function preparePlace(host: ScreenHost): Promise<boolean> {
  // When Screen lists sessions, it creates its own directory with the mode that its packager intended.
  if ((await ignoreMissing(stat(host.dir))) === null) {
    await runProgram('screen', ['-ls'], { env: host.directoryEnv, timeoutMs: SCREEN_TIMEOUT_MS });
  }
  return (await isPlace(host.dir)) && takesFile(host.dir);
}

async function isPlace(dir: string): Promise<boolean> {
  const found = await ignoreMissing(stat(dir));
  return found?.isDirectory() === true && found.uid === userInfo().uid && (found.mode & 0o777) === PRIVATE;
}

/** Reports whether a file can be created in a directory. A full or read-only disk accepts no file. */
async function takesFile(dir: string): Promise<boolean> {
  const file = join(dir, `.cbos-${process.pid}`);
  try {
    await writeFile(file, '', { mode: 0o600 });
    await rm(file);
    return true;
  } catch {
    return false;
  }
}

const keyOf = ({ pid, startTime }: ProcessId): string => `${pid}@${startTime}`;
