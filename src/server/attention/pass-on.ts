import type { Sessions } from '../sessions.ts';

/** What has nothing to do with who looked at a session. */
const PASSED = [
  'conversations',
  'remove',
  'buffer',
  'deliveries',
  'delivery',
  'changeDelivery',
  'cancelDelivery',
  'events',
  'lastResponse',
  'sessionCosts',
  'costs',
  'explain',
  'stash',
  'addToStash',
  'removeFromStash',
  'history',
  'transcript',
  'historyDays',
  'search',
  'stream',
  'streams',
] as const satisfies readonly (keyof Sessions)[];

type Passed = Pick<Sessions, (typeof PASSED)[number]>;

/** These methods as they are. */
export function passOn(base: Passed): Passed {
  return Object.fromEntries(
    PASSED.map((name) => [name, (base[name] as () => unknown).bind(base)]),
  ) as unknown as Passed;
}
