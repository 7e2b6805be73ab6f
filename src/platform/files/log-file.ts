import { openSync, writeSync } from 'node:fs';

/** Where lines of a log go, one at a time. */
export interface LogFile {
  write(line: string): void;
}

/**
 * A log that never stops who writes it: what a full disk does not take is left out, and counted in a line of its own as
 * soon as there is room. Readable by its user alone.
 */
export function openLogFile(path: string): LogFile {
  const file = openSync(path, 'a', 0o600);
  let leftOut = 0;
  return {
    write: (line) => {
      try {
        // Written in part before the disk was full: what follows shall begin a line of its own.
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
