import { beforeEach } from 'vitest';

/**
 * How to remove what the running attempt of a test has created. A test that is retried would otherwise fail because of
 * what its first attempt left behind, such as a session with the same name.
 */
const removals: (() => Promise<unknown>)[] = [];

/** Registers how to remove something before the running test is retried. */
export function removeBeforeRetry(remove: () => Promise<unknown>): void {
  removals.push(remove);
}

/**
 * This hook is registered first, so an attempt begins before the hooks of its suite prepare anything. It is not a hook
 * of the runner: with the default isolation, a runner has its own instance of this module (vitest 4.1.11).
 */
beforeEach(async ({ task }) => {
  const left = removals.splice(0).reverse();
  // What was created before the first attempt stays, for example by a beforeAll.
  if ((task.result?.retryCount ?? 0) === 0) return;
  // A server that the attempt has stopped has nothing to remove.
  for (const remove of left) await remove().catch(() => undefined);
});
