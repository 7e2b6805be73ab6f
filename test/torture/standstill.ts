import type { Cbos } from '../harness/cbos.ts';
import type { Ledger } from './client.ts';

/** By far longer than several clients leave a session alone, and than any play's turn shows nothing new. */
const STANDSTILL_MS = 60_000;
const LOOK_MS = 2_000;

/**
 * Notes as a fault that a session shows nothing new though clients send to it all the time; from then on a run tells
 * nothing more.
 */
export async function watchForStandstill(options: {
  cbos: Cbos;
  slugs: readonly string[];
  ledger: Ledger;
  isOver: () => boolean;
}): Promise<void> {
  const { cbos, slugs, ledger, isOver } = options;
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    for (const slug of slugs) {
      const { status } = await cbos.session(slug);
      if ((status.unchanged_ms ?? 0) < STANDSTILL_MS) continue;
      ledger.faults.push(`${slug} stands still: ${JSON.stringify(status)}`);
      return;
    }
  }
}
