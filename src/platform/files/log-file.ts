import { openSync, writeSync } from 'node:fs';

/** Receives the lines of a log, one at a time. */
export interface LogFile {
  write(line: string): void;
}

/**
 * Opens a log that never blocks the code that writes to it. Lines that do not fit on a full disk are dropped. As soon
 * as there is room again, a separate line reports how many were dropped. Only the user can read the file.
 */
export function openLogFile(path: string): LogFile {
  const file = openSync(path, 'a', 0o600);
  let leftOut = 0;
  return {
    write: (line) => {
      try {
        // The last line may have been written only in part, so the next line must begin on a new line.
        if (leftOut > 0)
          writeSync(file, `\n{"level":40,"time":${Date.now()},"msg":"${leftOut} lines could not be written here"}\n`);
        leftOut = 0;
        writeSync(file, line);
      } catch {
        leftOut += 1;
      }
    },
  };
}
