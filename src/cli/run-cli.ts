import type { LocalHost } from './local-host.ts';
import type { TerminalIo } from './terminal-io.ts';

export interface CliRun {
  /** arguments without node and the script */
  argv: readonly string[];
  host: LocalHost;
  io: TerminalIo;
  /** this program's own version */
  version: string;
}

/** Runs one command line and resolves to its exit code. Never rejects; what was to be expected is a line on standard error. */
export async function runCli(run: CliRun): Promise<number> {
  run.io.stderr.write('cbos: not built yet\n');
  return 1;
}
