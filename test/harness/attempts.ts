/**
 * How to remove what the running attempt of a test has created. A test that is retried would otherwise fail because of
 * what its first attempt left behind, such as a session with the same name.
 */
const removals: (() => Promise<unknown>)[] = [];

/** Registers how to remove something before the running test is retried. */
export function removeBeforeRetry(remove: () => Promise<unknown>): void {
  removals.push(remove);
}

/** Returns what is registered, the newest first, and forgets it. */
export const takeRemovals = (): (() => Promise<unknown>)[] => removals.splice(0).reverse();
