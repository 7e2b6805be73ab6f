import { readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { listProcesses, type ProcessId, type ProcessInfo, readArgv, readEnvironment } from '../process/proc-file.ts';
import { descendantsAmong } from '../process/tree.ts';
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
  const [program = '', ...rest] = look.argv;
  const name = basename(program);
  if (!RUNTIMES.test(name)) {
    const isProgram = name === 'claude' || look.comm === 'claude' || PACKAGE_PATH.test(program);
    return isProgram && isInteractive(rest);
  }
  const at = rest.findIndex((argument) => !argument.startsWith('-'));
  const script = rest[at] ?? '';
  const isScript = basename(script) === 'claude' || (PACKAGE_PATH.test(script) && /\.[cm]?js$/.test(script));
  return isScript && isInteractive(rest.slice(at + 1));
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

/** Returns the Claude Code process among the descendants of Screen's daemon, or null if there is none. */
async function findTopmost(processes: readonly ProcessInfo[], daemonPid: number): Promise<WindowClaude | null> {
  for (const info of descendantsAmong(processes, [daemonPid])) {
    if (!isClaudeProcess({ comm: info.comm, argv: await readArgv(info.pid) })) continue;
    return { pid: info.pid, startTime: info.startTime, ...(await readPlace(info.pid)) };
  }
  return null;
}

async function readPlace(pid: number): Promise<Pick<WindowClaude, 'window' | 'cwd'>> {
  const entry = (await readEnvironment(pid)).find((one) => one.startsWith('WINDOW='));
  return { window: entry?.slice('WINDOW='.length) ?? '0', cwd: await readCwd(pid) };
}

async function readCwd(pid: number): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/cwd`);
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
