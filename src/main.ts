import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { plainCommand } from './cli/plain-command.ts';
import { runCli } from './cli/run-cli.ts';
import type { TerminalIo } from './cli/terminal-io.ts';
import { createLocalMachine } from './local/machine.ts';
import { personalEnvironment } from './local/personal-environment.ts';

/** The program's version, which the build inserts from package.json. */
declare const __CBOS_VERSION__: string;

/** SIGHUP means that the terminal was closed. The demo must clean up in that case, too. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const io: TerminalIo = {
  // These are getters, because Node opens each stream on first use, which takes a millisecond.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  cwd: process.cwd(),
  now: () => Date.now(),
  onInterrupt: (listener) => {
    const handlers = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map((signal) => {
      const handle = (): void => listener(EXIT_CODES[signal]);
      process.on(signal, handle);
      return () => process.off(signal, handle);
    });
    return () => {
      for (const stop of handlers) stop();
    };
  },
};

if (process.platform !== 'linux') {
  process.stderr.write(`cbos: CBOS runs on Linux and WSL, not on ${process.platform}\n`);
  process.exit(1);
}

// Without a listener, this signal makes Node open its debugger (on 127.0.0.1:9229 in 20.19). Anybody who connects to
// it, including another user of the machine, can run code in this process.
process.on('SIGUSR1', () => undefined);

const version = __CBOS_VERSION__;
const argv = process.argv.slice(2);
const calledAs = callAgain(process.argv[1]);
const host = createLocalMachine({
  environment: personalEnvironment(process.env),
  cwd: process.cwd(),
  userHome: homedir(),
  node: process.execPath,
  // This file is one of the program's parts. The file that users run is built from src/start.ts.
  program: join(import.meta.dirname, '..', 'cbos.js'),
  calledAs,
  pid: process.pid,
  version,
});
// No `await` here, because the program is built as CommonJS. `runCli` never rejects.
void runCli({ argv, host, io, version, program: calledAs }).then((code) => {
  // Everything that a plain command does is done by now. Ending at once saves Node from closing the socket.
  if (code === 0 && plainCommand(argv) !== null) process.exit();
  process.exitCode = code;
});

/**
 * Returns the command by which the user can run this program again: its name if it is installed, or its path in a
 * checkout.
 */
function callAgain(called: string | undefined): string {
  if (called === undefined || basename(called) === 'cbos') return 'cbos';
  return `node ${relative(process.cwd(), called)}`;
}
