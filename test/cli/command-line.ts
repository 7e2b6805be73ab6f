import { PassThrough, Readable } from 'node:stream';
import type { LocalHost } from '../../src/cli/local-host.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import type { TerminalOutput } from '../../src/cli/terminal-io.ts';
import { resolveSettings } from '../../src/core/settings/index.ts';
import { Emitter } from '../../src/emitter/emitter.ts';
import type { ResolvedSetting, Settings } from '../../src/protocol/index.ts';
import { waitFor } from '../harness/wait-for.ts';

export const VERSION = '1.2.3';
/** A minute after the sessions in memory reached their state. */
export const NOW = Date.parse('2026-11-20T15:05:05.123Z');

export interface CommandOptions {
  /** the server's local socket */
  socket: string;
  host?: Partial<LocalHost>;
  settings?: Partial<Settings>;
  stdin?: string;
  /** whether standard input, output, and error are a terminal */
  isTTY?: boolean;
  columns?: number;
  env?: Record<string, string>;
  cwd?: string;
  version?: string;
  /** returns milliseconds since 1970; NOW if omitted */
  now?: () => number;
}

/** Collects what a command writes. `text` returns what was written so far. */
export class Collected {
  readonly stream: TerminalOutput;
  #text = '';

  constructor(terminal: { isTTY: boolean; columns?: number | undefined }) {
    const stream = new PassThrough();
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      this.#text += text;
    });
    this.stream = Object.assign(stream, {
      isTTY: terminal.isTTY,
      ...(terminal.columns === undefined ? {} : { columns: terminal.columns }),
    });
  }

  get text(): string {
    return this.#text;
  }

  get lines(): string[] {
    return this.#text.split('\n').slice(0, -1);
  }
}

/** A command that is running. */
export interface RunningCommand {
  stdout: Collected;
  stderr: Collected;
  /** sends Ctrl-C */
  interrupt(): void;
  /** resolves to the exit code */
  ended: Promise<number>;
  /** waits until the output contains a text */
  says(text: string, where?: 'stdout' | 'stderr'): Promise<void>;
}

export function startCommand(argv: readonly string[], options: CommandOptions): RunningCommand {
  const terminal = { isTTY: options.isTTY ?? false, columns: options.columns };
  const stdout = new Collected(terminal);
  const stderr = new Collected(terminal);
  const interrupts = new Emitter<[exitCode: number]>();
  const ended = runCli({
    argv,
    version: options.version ?? VERSION,
    host: testHost(options),
    io: {
      stdin: Object.assign(Readable.from(options.stdin === undefined ? [] : [options.stdin]), {
        isTTY: options.isTTY ?? false,
      }),
      stdout: stdout.stream,
      stderr: stderr.stream,
      env: { HOME: '/home/user', TERM: 'xterm-256color', ...options.env },
      cwd: options.cwd ?? '/tmp',
      now: options.now ?? (() => NOW),
      onInterrupt: interrupts.on,
    },
  });
  return {
    stdout,
    stderr,
    ended,
    interrupt: () => interrupts.tell(130),
    says: async (text, where = 'stdout') => {
      const collected = where === 'stdout' ? stdout : stderr;
      await waitFor(() => collected.text.includes(text), {
        describe: `${where} says ${JSON.stringify(text)}`,
        actual: () => ({ stdout: stdout.text, stderr: stderr.text }),
      });
    },
  };
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const command = startCommand(argv, options);
  const code = await command.ended;
  // The last output still has to pass through the streams.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, stdout: command.stdout.text, stderr: command.stderr.text };
}

function testHost({ socket, settings, host }: CommandOptions): LocalHost {
  const own = {
    flags: {},
    environment: {},
    file: null,
    toAbsolutePath: (path: string) => path.replace('~', '/home/user'),
  };
  const resolved: Settings = {
    ...resolveSettings(own).settings,
    socket,
    turn_checkpoints: true,
    ...settings,
  };
  const missing = (name: string) => (): never => {
    throw new Error(`the test's host has no ${name}`);
  };
  const rows = Object.entries(resolved).map(([name, value]) => ({ name, value, origin: 'default' }) as ResolvedSetting);
  return {
    settings: async () => ({ settings: resolved, rows }),
    address: async () => 'http://127.0.0.1:32205',
    serve: missing('serve'),
    startInBackground: missing('startInBackground'),
    requireNotStopped: async () => undefined,
    stopServer: missing('stopServer'),
    readToken: missing('readToken'),
    rotateToken: missing('rotateToken'),
    gitBranches: async () => new Map(),
    lastModels: async () => new Map(),
    isFirstStart: async () => false,
    openInBrowser: async () => false,
    doctor: missing('doctor'),
    service: { install: missing('install'), uninstall: missing('uninstall'), status: missing('status') },
    attachArgv: (screenId) => ['screen', '-x', screenId],
    runAttached: missing('runAttached'),
    openSsh: missing('openSsh'),
    openFarTerminal: missing('openFarTerminal'),
    demo: missing('demo'),
    tui: missing('tui'),
    timeline: missing('timeline'),
    exportRecording: missing('exportRecording'),
    replay: missing('replay'),
    recordMisdetection: missing('recordMisdetection'),
    ...host,
  };
}
