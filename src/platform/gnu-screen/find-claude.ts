import { basename } from 'node:path';
import {
  argvOf,
  folderOfProcess,
  listProcesses,
  type ProcessId,
  type ProcessInfo,
  processNow,
  readEnvironment,
} from '../process/proc-file.ts';
import { descendantsAmong, descendantsOf } from '../process/tree.ts';
import type { ScreenHost } from './host.ts';
import { listScreens, type ScreenSession } from './list-screens.ts';

/** What can be observed about a process from outside. */
export interface ProcessLook {
  comm: string;
  argv: readonly string[];
}

/** The npm package. Old versions run `node …/@anthropic-ai/claude-code/cli.js`, whatever the link to it is called. */
const PACKAGE_PATH = /(^|\/)@anthropic-ai\/claude-code(-[a-z0-9-]+)?\//;
const RUNTIMES = /^(node|nodejs|bun|deno)(-?\d[\d.]*)?$/;
/** Matches subcommands and modes that are not interactive sessions. */
const NO_SESSION = /^(mcp|update|doctor|install|--version|-v|agents)$/;

/**
 * Reports whether a process is an interactive Claude Code. The process of the native executable and of 2.x is named
 * `claude`. Up to 1.0, the process is `node` with the package's `cli.js`. Claude Code's helpers (a `claude --print`, an
 * MCP server) do not count.
 */
export function isClaudeProcess(look: ProcessLook): boolean {
  const { isClaude, args } = programOf(look);
  return isClaude && isInteractive(args);
}

/**
 * Reports whether a process is certainly an interactive Claude Code. `node …/claude` may also be a user's own program
 * that starts Claude Code.
 */
export function isCertainlyClaude(look: ProcessLook): boolean {
  return isClaudeProcess(look) && programOf(look).isCertain;
}

/** @returns also the arguments after the program */
function programOf({ comm, argv }: ProcessLook): { isClaude: boolean; isCertain: boolean; args: readonly string[] } {
  const [program = '', ...rest] = argv;
  const name = basename(program);
  if (!RUNTIMES.test(name)) {
    const isProgram = name === 'claude' || PACKAGE_PATH.test(program) || (comm === 'claude' && !isScript(comm, rest));
    return { isClaude: isProgram, isCertain: true, args: rest };
  }
  const at = rest.findIndex((argument) => !argument.startsWith('-'));
  const script = rest[at] ?? '';
  const isPackage = PACKAGE_PATH.test(script) && /\.[cm]?js$/.test(script);
  return { isClaude: isPackage || basename(script) === 'claude', isCertain: isPackage, args: rest.slice(at + 1) };
}

/**
 * Reports whether a process runs a script. The kernel names such a process after the script, and puts the interpreter
 * and its option in front of the script's path.
 */
function isScript(comm: string, args: readonly string[]): boolean {
  return args.slice(0, 2).some((argument) => basename(argument) === comm);
}

function isInteractive(args: readonly string[]): boolean {
  return !NO_SESSION.test(args[0] ?? '') && !args.includes('-p') && !args.includes('--print');
}

/** A Claude Code process in a Screen window. */
export interface WindowClaude extends ProcessId {
  /** the number of the window */
  window: string;
  /** the working directory of the process, or null if it cannot be read */
  cwd: string | null;
}

export interface ForeignSession {
  screen: ScreenSession;
  claude: WindowClaude;
}

/**
 * Finds the Claude Code process in each of the given sessions. This is the topmost Claude Code process in each tree,
 * because subagents and shells are below it. Sessions that have none are omitted.
 */
export async function findClaudeIn(sessions: readonly ScreenSession[]): Promise<ForeignSession[]> {
  const processes = await listProcesses();
  const found = await Promise.all(
    sessions.map(async (screen) => {
      if (screen.state === 'dead' || screen.state === 'foreign') return null;
      const claude = await findTopmost(processes, screen.pid);
      return claude === null ? null : { screen, claude };
    }),
  );
  return found.filter((one): one is ForeignSession => one !== null);
}

/** Returns the Screen sessions that run Claude Code but do not belong to CBOS. */
export async function findForeign(host: Pick<ScreenHost, 'dir'>, ours: ReadonlySet<string>): Promise<ForeignSession[]> {
  return findClaudeIn((await listScreens(host)).filter((session) => !ours.has(session.id)));
}

/**
 * Returns the Claude Code process among the descendants of Screen's daemon, or null if there is none. A process that
 * may be only a program that starts Claude Code counts if no certain one is below it.
 */
async function findTopmost(processes: readonly ProcessInfo[], daemonPid: number): Promise<WindowClaude | null> {
  const looks = descendantsAmong(processes, [daemonPid]).map((info) => ({ info, look: lookOf(info) }));
  const topmost = looks.find(({ look }) => isClaudeProcess(look));
  if (topmost === undefined) return null;
  const below = new Set(descendantsAmong(processes, [topmost.info.pid]).map(({ pid }) => pid));
  const certain = isCertainlyClaude(topmost.look)
    ? topmost
    : looks.find(({ info, look }) => below.has(info.pid) && isCertainlyClaude(look));
  const { pid, startTime } = (certain ?? topmost).info;
  return { pid, startTime, ...(await readPlace(pid)) };
}

/** Reports whether a process of a session is Claude Code itself, and not a program that starts Claude Code. */
export function isClaudeItself(pid: number): boolean {
  const info = processNow(pid);
  return info !== null && isCertainlyClaude(lookOf(info));
}

/**
 * Returns the Claude Code without a terminal that a process is, or that it has started if it is a wrapper. Returns the
 * process itself if there is none.
 */
export async function findClaudeBelow(top: ProcessId | null): Promise<ProcessId | null> {
  if (top === null) return null;
  for (const info of [processNow(top.pid), ...(await descendantsOf([top.pid]))]) {
    if (info === null) continue;
    const { isClaude, isCertain } = programOf(lookOf(info));
    if (isClaude && isCertain) return { pid: info.pid, startTime: info.startTime };
  }
  return top;
}

const lookOf = ({ pid, comm }: ProcessInfo): ProcessLook => ({ comm, argv: argvOf(pid) });

/** The program that writes a session's recording. In a session that CBOS launched, it runs everything else. */
const RECORDER = 'script';

/**
 * Returns the program that `script` runs in a Screen session: Claude Code itself, or a wrapper that started it. Returns
 * null if that program has ended, or if the session is not recorded by `script`.
 */
export async function findRecorded(daemonPid: number): Promise<ProcessInfo | null> {
  const below = await descendantsOf([daemonPid]);
  const recorders = new Set(below.filter(({ comm }) => comm === RECORDER).map(({ pid }) => pid));
  return below.find(({ ppid, comm }) => recorders.has(ppid) && comm !== RECORDER) ?? null;
}

async function readPlace(pid: number): Promise<Pick<WindowClaude, 'window' | 'cwd'>> {
  const entry = (await readEnvironment(pid)).find((one) => one.startsWith('WINDOW='));
  return { window: entry?.slice('WINDOW='.length) ?? '0', cwd: folderOfProcess(pid) };
}
