import { readFile } from 'node:fs/promises';
import { parseHeader, parseTrailer } from '../../core/recording/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { type ProcessId, type ProcessInfo, readArgv, readProcess } from '../process/proc-file.ts';
import { descendantsOf } from '../process/tree.ts';
import { waitUntil } from '../process/wait-until.ts';
import { sendCommand } from './command.ts';
import { type HiddenTerminal, stripEscapes } from './hidden-terminal.ts';
import type { ScreenHost } from './host.ts';
import type { LaunchFiles } from './launch-files.ts';
import type { Launched, LaunchOptions } from './launch-options.ts';
import { listScreens, readScreen, type ScreenSession } from './list-screens.ts';
import { readTerminalSize } from './resize.ts';

/**
 * How long a launch may take. One launch takes 60 ms, and ten at once on two cores take half a second. On a machine
 * that is swapping, a launch takes seconds.
 */
const LAUNCH_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 5;
/** The exit codes of a shell for a command that does not exist and for a command that cannot be executed. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
/** How much of the end of a command's output the error message shows. */
const SHOWN_CHARACTERS = 500;

interface Attempt {
  terminal: HiddenTerminal;
  files: LaunchFiles;
}

/**
 * Follows a launch step by step until the detached session exists and the command is running in it. Throws an error
 * that says what went wrong.
 */
export async function proveLaunch(host: ScreenHost, options: LaunchOptions, attempt: Attempt): Promise<Launched> {
  const proof = new LaunchProof(options, attempt.terminal);
  const session = await proof.until('its socket did not appear', () =>
    findSession(host, options.name, attempt.terminal),
  );
  const daemon = await proof.until('its daemon was not found', () => readProcess(session.pid));
  const agent = await proof.until('the command did not start', () => findAgent(daemon, attempt.files));
  // The header of the recording is of no use here, because `script` writes it only together with the first output,
  // however late that comes.
  const size = await proof.until('the command ended as soon as it started', () => readTerminalSize(host, agent.pid));
  if (size.cols !== options.cols || size.rows !== options.rows) {
    const got = `${size.cols}×${size.rows}`;
    throw new CatalogueError(
      'launch_failed',
      `The session's terminal has ${got} instead of ${options.cols}×${options.rows}`,
    );
  }
  await detach(host, session, proof);
  attempt.terminal.destroy();
  return { screenId: session.id, daemon: idOf(daemon), agent };
}

class LaunchProof {
  private readonly deadline = performance.now() + LAUNCH_TIMEOUT_MS;

  constructor(
    private readonly options: LaunchOptions,
    readonly terminal: HiddenTerminal,
  ) {}

  /** Waits for a step. If the hidden terminal ends first, so has the session. */
  async until<T>(failure: string, probe: () => Promise<T | null>): Promise<T> {
    const step = async () => {
      // This is read before the probe runs, so that the probe sees everything that existed when the terminal ended.
      const over = this.terminal.hasEnded();
      const seen = await probe();
      if (seen === null && over) throw await this.explainEnd();
      return seen;
    };
    const timeoutMs = Math.max(this.deadline - performance.now(), 0);
    const seen = await waitUntil(step, { timeoutMs, everyMs: LOOK_EVERY_MS });
    if (seen !== null) return seen;
    const said = this.terminal.text();
    throw new CatalogueError('launch_failed', `The session did not start, ${failure}${said ? ` (${said})` : ''}`);
  }

  /**
   * Returns why there is no session. This is either Screen's own message, or how the command ended and what it printed.
   */
  async explainEnd(): Promise<CatalogueError> {
    await this.terminal.ended;
    const said = this.terminal.text();
    if (/screen: not found/.test(said)) return new CatalogueError('screen_not_found');
    const recording = await readFile(this.options.recording.typescript);
    const reading = parseHeader(recording);
    if (reading.kind !== 'header') {
      return new CatalogueError('launch_failed', `Screen did not start the session: ${said || 'it gave no reason'}`);
    }
    const command = this.options.command[0] ?? '';
    const trailer = parseTrailer(recording);
    const exitCode = trailer?.exitCode ?? null;
    if (exitCode === NOT_FOUND || exitCode === NOT_EXECUTABLE) {
      return new CatalogueError('claude_not_found', `The command ${command} was not found or isn't a program`);
    }
    const output = recording.subarray(reading.header.end, trailer?.start ?? recording.length).toString('utf8');
    const printed = stripEscapes(output).slice(-SHOWN_CHARACTERS);
    const how = exitCode === null ? '' : ` with exit code ${exitCode}`;
    return new CatalogueError(
      'launch_failed',
      `${command} ended as soon as it started${how}${printed ? `: ${printed}` : ''}`,
    );
  }
}

/**
 * Returns the session whose daemon our hidden terminal started. Another session with the same name belongs to someone
 * else.
 */
async function findSession(host: ScreenHost, name: string, terminal: HiddenTerminal): Promise<ScreenSession | null> {
  const candidates = (await listScreens(host)).filter((session) => session.name === name);
  if (candidates.length === 0) return null;
  const ours = new Set((await descendantsOf([terminal.pid])).map((info) => info.pid));
  return candidates.find((session) => ours.has(session.pid)) ?? null;
}

/**
 * Returns the process of the command. It is the child of `script` once the shell has replaced itself with the command.
 */
async function findAgent(daemon: ProcessInfo, files: LaunchFiles): Promise<ProcessId | null> {
  const below = await descendantsOf([daemon.pid]);
  const recorders = new Set(below.filter((info) => info.ppid === daemon.pid).map((info) => info.pid));
  for (const info of below) {
    if (!recorders.has(info.ppid) || info.comm === 'script') continue;
    const argv = await readArgv(info.pid);
    if (argv.length > 0 && !argv.some((argument) => argument.includes(files.run))) return idOf(info);
  }
  return null;
}

async function detach(host: ScreenHost, session: ScreenSession, proof: LaunchProof): Promise<void> {
  try {
    await sendCommand(host, { id: session.id }, ['detach']);
  } catch (error) {
    // A command that has just ended takes its session along. The next step says how the command ended.
    if (!(error instanceof CatalogueError && error.code === 'no_such_screen')) throw error;
  }
  await proof.until('Screen did not detach from the session', async () => {
    if (!proof.terminal.hasEnded()) return null;
    const now = await readScreen(host, session.id);
    return now?.state === 'detached' ? now : null;
  });
}

function idOf(info: ProcessInfo): ProcessId {
  return { pid: info.pid, startTime: info.startTime };
}
