import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import xterm, { type Terminal } from '@xterm/headless';
import { sessionEnvironment } from '../../src/platform/claude/environment.ts';
import { writeHookSettings } from '../../src/platform/claude/hook-settings.ts';
import { buildLaunch } from '../../src/platform/claude/launch.ts';
import { claudeVersion } from '../../src/platform/claude/version.ts';
import type { ClaudeWorld } from './claude.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

export interface ClaudeInScreenOptions {
  cols?: number;
  rows?: number;
  alternateScreen?: boolean;
  permissionMode?: 'default' | 'plan';
  args?: readonly string[];
  /** a new conversation if omitted */
  conversation?: { kind: 'new' | 'resume'; sessionId: string };
  /** false to start without hooks */
  hooks?: boolean;
}

/**
 * A real Claude Code in a real Screen, launched by the harness itself. It provides evidence about Claude Code, not
 * about CBOS.
 */
export interface ClaudeInScreen {
  sessionId: string;
  launchId: string;
  spool: string;
  /** PID.NAME */
  screenId: string;
  /** Claude Code's process */
  pid: number;
  recording: string;
  terminal: Terminal;
  /** the window's rows, trimmed on the right */
  lines(): string[];
  screenText(): string;
  /** reads what has been added to the recording since; resolves when the terminal shows it */
  refresh(): Promise<boolean>;
  /** types keys unchanged; characters that are special to Screen are escaped */
  type(keys: string): Promise<void>;
  /** types a single line of text, pauses as a person would, and presses Enter */
  prompt(text: string): Promise<void>;
  /** waits for a dialog, then until the dialog accepts keypresses, and types keys into it */
  answer(dialog: RegExp, keys: string): Promise<void>;
  waitForScreen(pattern: RegExp, timeoutMs?: number): Promise<string>;
}

/** After a shorter pause, versions up to 2.1.50 treat Enter as part of the paste. Newer versions need less. */
const BEFORE_ENTER_MS = 400;

/**
 * Types as somebody at the session's terminal would, at any moment and without CBOS. Characters that are special to
 * Screen are escaped.
 */
export async function typeAtTerminal(env: NodeJS.ProcessEnv, screenId: string, keys: string): Promise<void> {
  const escaped = keys.replace(/[\\^$]/g, (character) => `\\${character}`);
  await run('screen', ['-S', screenId, '-p', '0', '-X', 'stuff', escaped], { env });
}

/**
 * A dialog in 2.1.329 is drawn before it accepts keypresses. On a machine with little to do, keypresses were lost up to
 * 50 ms after a permission dialog appeared, and up to 100 ms after the trust dialog appeared.
 */
const DIALOG_DEAF_MS = 400;

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Launches Claude Code in the world's Screen. The session is first attached to a hidden terminal of the desired size,
 * then detached.
 */
export async function startClaudeInScreen(
  world: ClaudeWorld,
  options: ClaudeInScreenOptions = {},
): Promise<ClaudeInScreen> {
  const cols = options.cols ?? 160;
  const rows = options.rows ?? 45;
  const conversation = options.conversation ?? { kind: 'new' as const, sessionId: randomUUID() };
  const { sessionId } = conversation;
  const launchId = randomUUID();
  const name = `c${launchId.slice(0, 6)}`;
  const spool = join(world.cbosHome, 'hooks');
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const settingsFile = join(world.dir, `${name}.json`);
  const recording = join(world.streamDir, `${name}.typescript`);
  const timing = join(world.streamDir, `${name}.timing`);
  const env = sessionEnvironment(world.env, { launchId, spool, alternateScreen: options.alternateScreen ?? false });
  const version = await claudeVersion(world.claude, env);
  writeHookSettings(settingsFile, version);
  const { argv } = buildLaunch({
    program: world.claude,
    version,
    settingsFile,
    conversation,
    ...(options.permissionMode === undefined ? {} : { permissionMode: options.permissionMode }),
    ...(options.args === undefined ? {} : { args: options.args }),
  });
  const withoutHooks =
    options.hooks === false ? argv.filter((word, at) => word !== '--settings' && argv[at - 1] !== '--settings') : argv;

  const rc = join(world.dir, `${name}.screenrc`);
  writeFileSync(rc, 'startup_message off\nvbell off\nautodetach on\nterm screen-256color\n');
  const inner = join(world.dir, `${name}.sh`);
  const claudeLine = `exec ${withoutHooks.map(quote).join(' ')}`;
  writeFileSync(
    inner,
    `cd ${quote(world.projectDir)}\nexec script -q -f -e --log-out ${quote(recording)} --log-timing ${quote(timing)} --logging-format advanced -c ${quote(claudeLine)}\n`,
  );
  const outer = `stty cols ${cols} rows ${rows}; exec screen -U -m -S ${name} -c ${quote(rc)} /bin/sh ${quote(inner)}`;
  const hidden = spawn('script', ['-q', '-c', outer, '/dev/null'], {
    env,
    cwd: world.projectDir,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  world.onDispose(() => void hidden.stdin.destroy());

  const screenId = await waitFor(() => readdirSync(world.screenDir).find((entry) => entry.endsWith(`.${name}`)), {
    describe: 'the Screen session is there',
  });
  const pid = await waitFor(() => findClaude(world, launchId), { describe: 'Claude Code runs' });
  await run('screen', ['-S', screenId, '-X', 'detach'], { env });

  const terminal = new xterm.Terminal({ cols, rows, scrollback: 200, allowProposedApi: true });
  world.onDispose(() => terminal.dispose());
  let read = 0;
  let shown: Promise<void> = Promise.resolve();
  const refresh = async (): Promise<boolean> => {
    if (!existsSync(recording)) return false;
    const all = readFileSync(recording);
    // The first line is written by `script` itself.
    const from = read === 0 ? all.indexOf(10) + 1 : read;
    const isNew = all.length > from;
    if (isNew) {
      read = all.length;
      shown = new Promise<void>((resolve) => terminal.write(all.subarray(from), resolve));
    }
    // This is also needed when another call has read the bytes, because the terminal may still be processing them.
    await shown;
    return isNew;
  };
  const lines = (): string[] => {
    const buffer = terminal.buffer.active;
    return Array.from({ length: rows }, (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '');
  };
  const type = (keys: string): Promise<void> => typeAtTerminal(env, screenId, keys);
  const session: ClaudeInScreen = {
    sessionId,
    launchId,
    spool,
    screenId,
    pid,
    recording,
    terminal,
    lines,
    screenText: () => lines().join('\n').trimEnd(),
    refresh,
    type,
    prompt: async (text) => {
      await type(text);
      await new Promise((resolve) => setTimeout(resolve, BEFORE_ENTER_MS));
      await type('\r');
    },
    answer: async (dialog, keys) => {
      await session.waitForScreen(dialog);
      await new Promise((resolve) => setTimeout(resolve, DIALOG_DEAF_MS));
      await type(keys);
    },
    waitForScreen: (pattern, timeoutMs) =>
      waitFor(
        async () => {
          await refresh();
          const text = session.screenText();
          return pattern.test(text) ? text : null;
        },
        {
          describe: `the screen shows ${pattern}`,
          actual: session.screenText,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        },
      ),
  };
  return session;
}

/** Returns the process that runs the Claude Code program, found by the launch's mark. */
function findClaude(world: ClaudeWorld, launchId: string): number | null {
  for (const { pid, command } of world.processes()) {
    // The stand-in's processes are `node /path/to/cli.mjs`.
    if (!command.split(' ').slice(0, 2).includes(world.claude)) continue;
    if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(launchId)) return pid;
  }
  return null;
}
