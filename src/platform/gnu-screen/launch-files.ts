import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RecordingFiles, scriptCommand } from '../recorder/script-command.ts';
import { shellQuote, shellWords } from './shell-quote.ts';

/** The files of one launch. They are read during the start, and can be removed once the command is running. */
export interface LaunchFiles {
  dir: string;
  /** Screen's configuration, which replaces the user's configuration, because that may open windows or set the size */
  rc: string;
  /** the program that Screen runs in its window, which is `script` wrapped around {@link run} */
  inner: string;
  /** the program that `script` records, which is the command itself */
  run: string;
}

export interface LaunchFilesOptions {
  command: readonly string[];
  /** the session's SHELL, which `script` must not see, or null if the session has none */
  shell: string | null;
  recording: RecordingFiles;
  /** the name of a variable; see `LaunchOptions` */
  launchingVariable?: string | undefined;
}

/**
 * `deflogin off` prevents an entry in utmp, which not every system has. `term` gives colours to programs that check
 * TERM. `defscrollback` is for a user who attaches, because the recording contains everything anyway. Without
 * `msgminwait`, the daemon would pause for a second between two messages to a user. `hardstatus` and `caption` are set
 * because /etc/screenrc may turn them on, and each would take up a row.
 */
const SCREEN_RC = `startup_message off
vbell off
deflogin off
autodetach on
defutf8 on
term screen-256color
defscrollback 5000
msgminwait 0
hardstatus ignore
caption splitonly
`;

/** Writes the files into a new private directory below `parent`. */
export async function writeLaunchFiles(parent: string, options: LaunchFilesOptions): Promise<LaunchFiles> {
  const dir = await mkdtemp(join(parent, 'launch-'));
  const files = { dir, rc: join(dir, 'screenrc'), inner: join(dir, 'inner'), run: join(dir, 'run') };
  await Promise.all([
    writeFile(files.rc, SCREEN_RC, { mode: 0o600 }),
    writeFile(files.inner, innerScript(files.run, options.recording), { mode: 0o600 }),
    writeFile(files.run, runScript(files.run, options), { mode: 0o600 }),
  ]);
  return files;
}

function innerScript(run: string, recording: RecordingFiles): string {
  return `exec ${shellWords(scriptCommand(recording, `exec /bin/sh ${shellQuote(run)}`))}\n`;
}

function runScript(run: string, options: LaunchFilesOptions): string {
  const shell = options.shell === null ? 'unset SHELL' : `export SHELL=${shellQuote(options.shell)}`;
  const { launchingVariable: variable } = options;
  const launching = variable === undefined ? '' : `export ${variable}=${shellQuote(run)}\n`;
  return `${shell}\n${launching}exec ${shellWords(options.command)}\n`;
}
