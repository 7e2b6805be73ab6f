/**
 * As long as the names of test worlds (`/tmp/cb-RRRRRR-SSSSSS`), so that everything on the screen keeps its place.
 */
const PLACEHOLDER = '/home/user/workspaces';

/** Shorter pieces of a path could be part of any text. */
const SHORTEST_PIECE = 6;
const SHORTEST_START = '/tmp/cb-'.length;

/**
 * Replaces a directory with a neutral path of the same length, in a recording's bytes read as latin1: the whole path,
 * with dashes (as in the names of Claude Code's own directories), cut off on either side, and broken over two lines.
 * @throws Error if the directory's name has another length, because everything after it on the screen would move
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

/**
 * Replaces `script`'s first line, which contains the command with the files of the launch. The line is not output, so
 * its length may change.
 */
export function neutralizeHeader(recording: string): string {
  const end = recording.indexOf('\n') + 1;
  return recording.slice(0, end).replace(/COMMAND="(?:[^"\\]|\\.)*"/, 'COMMAND="claude"') + recording.slice(end);
}

/** Replaces the same in the rows of advanced timing that contain the command and the files. */
export function neutralizeTiming(timing: string): string {
  return timing
    .replace(/^(H \S+ COMMAND) .*$/m, '$1 claude')
    .replace(/^(H \S+ (?:OUTPUT_LOG|TIMING_LOG)) .*\/([^/]+)$/gm, '$1 $2');
}

/**
 * Converts advanced timing to the classic format, which has only output. The time of other rows is added to the next
 * one.
 */
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
