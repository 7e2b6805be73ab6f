import type { Caller } from '../client/index.ts';
import { CatalogueError } from '../protocol/index.ts';
import type { Printer } from './output/printer.ts';

/**
 * How long to wait for the version. A server answers within a few milliseconds. If the server hangs, the command itself
 * reports that.
 */
const LONGEST_WAIT_MS = 300;

/** Tells the user if the server's version differs from this program's, and suggests a restart. */
export function noteVersion(out: Printer, version: string, served: string): void {
  if (served !== version) out.notice(`this is version ${version}, but the server is ${served} — cbos down && cbos up`);
}

/**
 * Requests the version from a server whose responses do not contain it. It never fails, because the command itself
 * reports what is wrong.
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
    // Nothing awaits this promise, so a rejection would end the process. The command's own request fails in the same
    // way and reports the error.
    if (!(error instanceof CatalogueError)) out.notice(`the server's version is unknown: ${String(error)}`);
  } finally {
    clearTimeout(timer);
  }
}
