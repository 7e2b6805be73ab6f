/** The files in which a session is recorded. */
export interface RecordingFiles {
  /** the output, byte for byte, after `script`'s header line */
  typescript: string;
  /** the time at which each byte arrived, in the advanced format, which also contains resizes */
  timing: string;
  /** whether each write reaches the file immediately; otherwise, the status lags behind by up to 4 kB of output */
  flush: boolean;
}

/**
 * Returns the command line that wraps `script` around a command (util-linux 2.35 or later, for the advanced format). It
 * never contains `-I`, which would record what is typed, including passwords. `-e` passes on the command's exit code,
 * which also appears in the last line of the recording.
 * @param line the command line for /bin/sh, which must be in SHELL
 */
export function scriptCommand(files: RecordingFiles, line: string): string[] {
  const log = ['--log-out', files.typescript, '--log-timing', files.timing, '--logging-format', 'advanced'];
  return ['script', '-q', ...(files.flush ? ['-f'] : []), '-e', ...log, '-c', line];
}
