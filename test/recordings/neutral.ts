/** As long as the names of test worlds (`/tmp/cb-RRRRRR-SSSSSS`): what is on the screen keeps its place. */
const PLACEHOLDER = '/home/user/workspaces';

/** Shorter pieces of a path could be part of any text. */
const SHORTEST_PIECE = 6;
const SHORTEST_START = '/tmp/cb-'.length;

/**
 * Puts a neutral path of the same length in the place of a directory, in a recording's bytes read as latin1: whole,
 * with dashes (Claude Code names directories of its own so), cut off on either side, and broken over two lines.
 * @throws Error when the directory's name has another length: what follows on the screen would move
 */
export function neutralizePaths(text: string, directory: string): string {
  if (directory.length !== PLACEHOLDER.length) {
    throw new Error(`${directory} is not as long as ${PLACEHOLDER}, so it cannot be replaced in a recording`);
  }
  const withDashes = (path: string): string => path.replaceAll(/[^A-Za-z0-9]/g, '-');
  const forms = [
    [directory, PLACEHOLDER],
    [withDashes(directory), withDashes(PLACEHOLDER)],
  ] as const;
  let result = text;
  for (const [from, to] of forms) result = result.replaceAll(from, to);
  for (let length = directory.length - 1; length >= SHORTEST_PIECE; length--) {
    for (const [from, to] of forms) {
      if (length >= SHORTEST_START) result = result.replaceAll(from.slice(0, length), to.slice(0, length));
      result = result.replaceAll(from.slice(-length), to.slice(-length));
    }
  }
  return result;
}

/** `script`'s first line names the command, with the files of the launch in it. It is no output: its length is free. */
export function neutralizeHeader(recording: string): string {
  const end = recording.indexOf('\n') + 1;
  return recording.slice(0, end).replace(/COMMAND="(?:[^"\\]|\\.)*"/, 'COMMAND="claude"') + recording.slice(end);
}

/** The same in the rows of advanced timing that name the command and the files. */
export function neutralizeTiming(timing: string): string {
  return timing
    .replace(/^(H \S+ COMMAND) .*$/m, '$1 claude')
    .replace(/^(H \S+ (?:OUTPUT_LOG|TIMING_LOG)) .*\/([^/]+)$/gm, '$1 $2');
}

/** Advanced timing as the classic format has it: output alone, time of other rows goes to the next. */
export function toClassicTiming(timing: string): string {
  let waitedMicroseconds = 0;
  let result = '';
  for (const line of timing.split('\n')) {
    const [, kind, delay = '0', rest] = /^([A-Z]) (\d+\.\d+)(?: (.*))?$/.exec(line) ?? [];
    if (kind === undefined || kind === 'H') continue;
    waitedMicroseconds += Math.round(Number(delay) * 1e6);
    if (kind !== 'O') continue;
    result += `${(waitedMicroseconds / 1e6).toFixed(6)} ${rest}\n`;
    waitedMicroseconds = 0;
  }
  return result;
}
