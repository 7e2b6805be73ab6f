import { openSync, writeSync } from 'node:fs';

/** Receives the lines of a log, one at a time. */
export interface LogFile {
  write(line: string): void;
}

/**
 * A log that never stops its writer. Lines that a full disk refuses are left out, and counted in a separate line as
 * soon as there is room. Only its user can read it.
 */
export function openLogFile(path: string): LogFile {
  const file = openSync(path, 'a', 0o600);
  let leftOut = 0;
  return {
    write: (line) => {
      try {
        // The last line may have been written only in part: the next one must start on a new line.
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
