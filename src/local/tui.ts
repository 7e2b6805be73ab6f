import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalHost, TuiRequest } from '../cli/local-host.ts';
import { withRemoteNames } from '../client/index.ts';
import { CatalogueError } from '../protocol/index.ts';
import type { TuiHost } from '../tui/host.ts';
import { runTui } from '../tui/run-tui.ts';
import type { ThisProgram } from './this-program.ts';

/**
 * How long to wait for a stop signal to take effect. If no shell can take over the terminal, the kernel discards the
 * signal, and the terminal UI merely waits this long.
 */
const STOP_MS = 50;

/**
 * The maximum amount of output that is kept from a command that runs in the background. The complete evidence about a
 * session is about 20 kB.
 */
const MOST_SAID_BYTES = 4 * 1024 * 1024;

/** Opens the terminal UI on this machine. */
export function openLocalTui(self: ThisProgram, machine: LocalHost, request: TuiRequest): Promise<number> {
  const { stdin, stdout, env, cwd, now, onInterrupt } = request.io;
  return runTui({
    client: withRemoteNames(request.client),
    host: tuiHost(self, machine),
    stdin,
    stdout,
    env,
    cwd,
    now,
    onInterrupt,
    version: self.version,
    startTimer: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
}

function tuiHost(self: ThisProgram, machine: LocalHost): TuiHost {
  const { environment } = self;
  return {
    startServer: async () => {
      await machine.startInBackground({ flags: {}, onProgress: () => undefined });
    },
    attach: (screenId) => machine.runAttached(machine.attachArgv(screenId)),
    runHere: (args) => runHere(self.node, [self.program, ...args], environment),
    runAside: (args) =>
      new Promise((resolve) => {
        execFile(
          self.node,
          [self.program, ...args],
          { cwd: self.cwd, env: { ...environment, NO_COLOR: '1' }, maxBuffer: MOST_SAID_BYTES },
          (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, said: `${stdout}${stderr}` }),
        );
      }),
    suspend: async () => {
      // Stop the whole process group, as Ctrl+Z does in a shell, including everything that was started along with this
      // program.
      process.kill(0, 'SIGTSTP');
      await delay(STOP_MS);
    },
    editText: (text) => editText(text, environment),
  };
}

/** Lets the user edit text in a private file, which is deleted afterwards. */
async function editText(text: string, environment: ThisProgram['environment']): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'cbos-edit-'));
  try {
    const file = join(directory, 'prompt.md');
    writeFileSync(file, text, { mode: 0o600 });
    const [program = 'vi', ...args] = (environment.VISUAL || environment.EDITOR || 'vi').trim().split(/\s+/);
    const code = await runHere(program, [...args, file], environment);
    return code === 0 ? readFileSync(file, 'utf8') : text;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function runHere(program: string, args: readonly string[], environment: ThisProgram['environment']): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...environment } });
    child.once('error', (cause) =>
      reject(
        new CatalogueError('invalid_request', `${program} did not start`, {
          hint: 'Set EDITOR to another editor, as in `EDITOR=nano cbos`',
          cause,
        }),
      ),
    );
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
