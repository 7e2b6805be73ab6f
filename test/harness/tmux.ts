import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM } from './cbos.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

const run = promisify(execFile);

export interface TerminalOptions {
  cols?: number;
  rows?: number;
  env?: Record<string, string>;
  cwd?: string;
  args?: readonly string[];
  /** the program that runs instead of `cbos`, such as a shell */
  program?: readonly string[];
}

/** A real terminal that runs `cbos`. Tests send keypresses and read what a person would see. */
export interface Terminal {
  /** presses keys, given by tmux's names: `Tab`, `C-s`, `M-Enter`, or single characters */
  keys(...names: string[]): Promise<void>;
  /** types text, character by character */
  type(text: string): Promise<void>;
  /** pastes text as the terminal does */
  paste(text: string): Promise<void>;
  screen(): Promise<string>;
  /** waits until the screen matches; resolves to the screen */
  until(what: RegExp, describe: string): Promise<string>;
  /** waits until the screen no longer matches */
  untilGone(what: RegExp, describe: string): Promise<string>;
  resize(cols: number, rows: number): Promise<void>;
  /** the position of the cursor, counted from 0; null if hidden */
  cursor(): Promise<{ row: number; col: number } | null>;
  /** resolves to the program's exit code when it has ended */
  ended(): Promise<number>;
  /** all bytes that the program wrote */
  written(): string;
  /** runs any other tmux command on the terminal */
  tmux(...args: string[]): Promise<string>;
}

let count = 0;

/** Opens `cbos ARGS` in a separate tmux in the world. The tmux ends with the world. */
export async function openTerminal(world: World, options: TerminalOptions = {}): Promise<Terminal> {
  const { cols = 100, rows = 30, args = [], program = [process.execPath, PROGRAM] } = options;
  const name = `t${count++}`;
  const socket = join(world.dir, 'tmux');
  const log = join(world.dir, `${name}.log`);
  const env = { ...world.env, ...options.env };
  const tmux = async (...words: string[]): Promise<string> =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', ...words], { env: world.env, maxBuffer: 16 * 1024 * 1024 }))
      .stdout;
  const assignments = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  // The program waits for a line of input, so that nothing is written before the log exists.
  const script = 'read go; exec "$@"; sleep 1';
  const command = ['env', '-i', ...assignments, '/bin/sh', '-c', script, 'sh', ...program, ...args];
  const size = ['-x', String(cols), '-y', String(rows)];
  await tmux('new-session', '-d', '-s', name, ...size, '-c', options.cwd ?? world.projectDir, ...command);
  await tmux('set-option', '-t', name, 'remain-on-exit', 'on');
  await tmux('pipe-pane', '-t', name, `cat > ${log}`);
  await tmux('send-keys', '-t', name, 'Enter');
  const screen = (): Promise<string> => tmux('capture-pane', '-p', '-t', name);
  let last = '';
  const until = async (condition: (text: string) => boolean, describe: string): Promise<string> => {
    await waitFor(
      async () => {
        last = await screen();
        return condition(last);
      },
      { describe: `the screen shows ${describe}`, actual: () => `\n${last}` },
    );
    return last;
  };
  return {
    keys: async (...names) => void (await tmux('send-keys', '-t', name, ...names)),
    type: async (text) => void (await tmux('send-keys', '-t', name, '-l', text)),
    async paste(text) {
      await tmux('set-buffer', '-b', 'paste', '--', text);
      await tmux('paste-buffer', '-p', '-b', 'paste', '-t', name);
    },
    screen,
    until: (what, describe) => until((text) => what.test(text), describe),
    untilGone: (what, describe) => until((text) => !what.test(text), `no more ${describe}`),
    resize: async (newCols, newRows) =>
      void (await tmux('resize-window', '-t', name, '-x', String(newCols), '-y', String(newRows))),
    async cursor() {
      const [flag, row, col] = (
        await tmux('display-message', '-p', '-t', name, '#{cursor_flag} #{cursor_y} #{cursor_x}')
      )
        .trim()
        .split(' ')
        .map(Number);
      return flag === 1 ? { row: row ?? 0, col: col ?? 0 } : null;
    },
    // The line that tmux draws after a program has ended comes late, or never.
    ended: () =>
      waitFor(
        async () => {
          const [isDead, code] = (
            await tmux('display-message', '-p', '-t', name, '#{pane_dead} #{pane_dead_status}')
          ).split(' ');
          return isDead === '1' ? Number(code) : undefined;
        },
        { describe: 'the program ends', actual: () => `\n${last}` },
      ),
    written: () => readFileSync(log, 'utf8'),
    tmux: (...words) => tmux(...words),
  };
}
