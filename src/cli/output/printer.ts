import { once } from 'node:events';
import type { Style } from '../../text/style.ts';
import { cleanBlock, cleanLine, terminalJson } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import type { TerminalIo } from '../terminal-io.ts';
import { styleFor } from './style.ts';
import { type Column, renderTable, type TableOptions } from './table.ts';

/**
 * Prints output for users and for programs. Callers must clean any text that comes from sessions before they print it.
 */
export interface Printer {
  /** applies styles to text for standard output */
  style: Style;
  /** the width of standard output in cells, or null if it is a pipe */
  width: number | null;
  line(text?: string): void;
  lines(lines: readonly string[]): void;
  table(columns: readonly Column[], rows: TableOptions['rows']): void;
  /** prints a value as indented JSON */
  json(value: unknown): void;
  /** prints the result of a command: as JSON if the user asked for that, otherwise as a line of text */
  result(isJson: boolean | undefined, value: unknown, text: string): void;
  /** prints a value as JSON on a single line, for streams */
  jsonLine(value: unknown): void;
  /**
   * Makes `json` and `jsonLine` print the filter's outputs instead of each value itself. Strings are printed without
   * quotes, as by `jq -r`. On a terminal, escape sequences are removed.
   */
  filterJson(filter: (value: unknown) => unknown[]): void;
  /** Writes bytes or text unchanged. Resolves when the stream can accept more. */
  raw(chunk: Uint8Array | string): Promise<void>;
  /**
   * Resolves when everything has been written. If writing to standard output fails, for example because the disk is
   * full, it rejects with the reason. It is not a failure if the reader has closed the pipe.
   */
  written(): Promise<void>;
  /** prints one line for the user on standard error, so that it never mixes with output for a program */
  notice(text: string): void;
  /**
   * Prints lines that help the user with the error that follows. If standard error is not a terminal, they are omitted,
   * because an error must then be a single line.
   */
  noticeLines(lines: readonly string[]): void;
  /** aborted when nobody reads standard output any more (`cbos watch | head -1`) */
  closed: AbortSignal;
}

export function createPrinter(io: TerminalIo): Printer {
  const { stdout } = io;
  const style = styleFor(stdout, io.env);
  const width = stdout.isTTY === true ? (stdout.columns ?? null) : null;
  const closing = new AbortController();
  // If the reader closes the pipe, the command ends without an error. Any other failure, such as a full disk, must not
  // look like success.
  let failure: Error | null = null;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      failure = new CommandError(
        `The output is incomplete: ${error.message}`,
        'free some space on that disk, or write elsewhere',
      );
    }
    closing.abort();
  });
  let openedStderr: TerminalIo['stderr'] | undefined;
  /** Opens standard error the first time that something is written to it. */
  const stderr = (): TerminalIo['stderr'] => {
    openedStderr ??= io.stderr.on('error', () => closing.abort());
    return openedStderr;
  };

  const write = (chunk: Uint8Array | string): boolean => {
    if (failure !== null) throw failure;
    return closing.signal.aborted || stdout.write(chunk);
  };
  const line = (text = ''): void => void write(`${text}\n`);
  // Each write is a system call, and a list may have thousands of lines.
  const lines = (texts: readonly string[]): void => {
    if (texts.length > 0) line(texts.join('\n'));
  };
  let filter: ((value: unknown) => unknown[]) | null = null;
  const json = (value: unknown, indent?: number): void => {
    for (const output of filter === null ? [value] : filter(value)) {
      if (filter === null || typeof output !== 'string') line(terminalJson(output, indent));
      else line(stdout.isTTY === true ? cleanBlock(output) : output);
    }
  };

  return {
    style,
    width,
    line,
    lines,
    table: (columns, rows) => lines(renderTable({ columns, rows, style, width })),
    json: (value) => json(value, 2),
    result: (isJson, value, text) => (isJson === true ? json(value, 2) : line(text)),
    jsonLine: (value) => json(value),
    filterJson: (wanted) => {
      filter = wanted;
    },
    raw: async (chunk) => {
      // The signal tells why the stream does not drain any more.
      if (!write(chunk)) await once(stdout, 'drain', { signal: closing.signal }).catch(() => undefined);
    },
    written: async () => {
      const told = openedStderr;
      if (told !== undefined) await new Promise<void>((resolve) => void told.write('', () => resolve()));
      await new Promise<void>((resolve, reject) => {
        // The stream emits its error only after it has called the callback.
        stdout.write('', () => setImmediate(() => (failure === null ? resolve() : reject(failure))));
      });
    },
    notice: (text) => void stderr().write(`cbos: ${cleanLine(text)}\n`),
    noticeLines: (lines) => {
      if (stderr().isTTY !== true) return;
      for (const text of lines) stderr().write(`${text}\n`);
    },
    closed: closing.signal,
  };
}
