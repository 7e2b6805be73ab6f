import { beforeEach } from 'vitest';
import { takeRemovals } from './attempts.ts';

/**
 * This hook is registered first, so an attempt begins before the hooks of its suite prepare anything. It is not a hook
 * of the runner: with the default isolation, a runner has its own instance of this module (vitest 4.1.11).
 */
beforeEach(async ({ task }) => {
  const left = takeRemovals();
  // What was created before the first attempt stays, for example by a beforeAll.
  if ((task.result?.retryCount ?? 0) === 0) return;
  // A server that the attempt has stopped has nothing to remove.
  for (const remove of left) await remove().catch(() => undefined);
});
