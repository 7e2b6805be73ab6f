import type { ProcessId } from '../process/proc-file.ts';
import type { ProcessMark } from '../process/tree.ts';
import type { RecordingFiles } from '../recorder/script-command.ts';

export interface LaunchOptions {
  /** the Screen session's name: the slug */
  name: string;
  cwd: string;
  /** the session's whole environment; nothing is inherited */
  env: Readonly<Record<string, string>>;
  cols: number;
  rows: number;
  /** what to run, as an argument array */
  command: readonly string[];
  /** files that do not exist yet, in an existing directory */
  recording: RecordingFiles;
  /**
   * for a command that must not end before the launch was verified: the variable in which it finds a file that is
   * removed once that is done
   */
  launchingVariable?: string;
  /** the entry of `env` that identifies the session's processes; it is used for cleaning up if the launch fails */
  mark: ProcessMark;
}

export interface Launched {
  screenId: string;
  /** Screen's daemon */
  daemon: ProcessId;
  /** the command itself */
  agent: ProcessId;
}
