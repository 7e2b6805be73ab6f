import type { Caller } from '../client/index.ts';
import { CatalogueError } from '../protocol/index.ts';
import type { Printer } from './output/printer.ts';

/** A server answers in a few milliseconds; one that hangs is the command's own problem to report. */
const LONGEST_WAIT_MS = 300;

/** Says so when the server is of another version than this program, and offers the restart. */
export function noteVersion(out: Printer, version: string, served: string): void {
  if (served !== version) out.notice(`this is version ${version}, the server is ${served} — cbos down && cbos up`);
}

/**
 * Asks a server that does not say its version with its answers. Never fails: the command itself says what is wrong.
 */
export async function checkServerVersion(options: { client: Caller; version: string; out: Printer }): Promise<void> {
  const { client, version, out } = options;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LONGEST_WAIT_MS);
    timer.unref();
  });
  try {
    const health = await Promise.race([client.call('health'), enough]);
    if (health !== null) noteVersion(out, version, health.version);
  } catch (error) {
    // Nobody waits for this when it happens: a throw would end the process. The command's own request fails the same
    // way.
    if (!(error instanceof CatalogueError)) out.notice(`the server's version is not known: ${String(error)}`);
  } finally {
    clearTimeout(timer);
  }
}
