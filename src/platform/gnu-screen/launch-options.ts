import type { ProcessId } from '../process/proc-file.ts';
import type { ProcessMark } from '../process/tree.ts';
import type { RecordingFiles } from '../recorder/script-command.ts';

export interface LaunchOptions {
  /** the name of the Screen session, which is the slug */
  name: string;
  cwd: string;
  /** the whole environment of the session, which inherits nothing else */
  env: Readonly<Record<string, string>>;
  cols: number;
  rows: number;
  /** the command to run, as an argument array */
  command: readonly string[];
  /** files that do not exist yet, in a directory that does */
  recording: RecordingFiles;
  /**
   * for a command that must not end before the launch has been verified: the variable with the path of a file that is
   * removed after the verification
   */
  launchingVariable?: string;
  /** the entry of `env` that identifies the session's processes, which is used to clean up if the launch fails */
  mark: ProcessMark;
}

export interface Launched {
  screenId: string;
  /** the process of Screen's daemon */
  daemon: ProcessId;
  /** the process of the command itself */
  agent: ProcessId;
}
