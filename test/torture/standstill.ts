import type { Cbos } from '../harness/cbos.ts';
import type { Ledger } from './client.ts';

/** Far longer than several clients leave a session alone, and than any turn runs without showing anything new. */
const STANDSTILL_MS = 60_000;
const LOOK_MS = 2_000;

/**
 * Records a fault if a session shows nothing new although clients keep sending to it. From then on, a run would prove
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
