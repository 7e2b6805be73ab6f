import type { Sessions } from '../sessions.ts';

/** What has nothing to do with who looked at a session. */
const PASSED = [
  'conversations',
  'restore',
  'restoration',
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

/** These methods as they are. They are looked up with each call, for one may be replaced. */
export function passOn(base: Passed): Passed {
  const calls = PASSED.map((name) => [
    name,
    (...given: unknown[]) => (base[name] as (...given: unknown[]) => unknown).apply(base, given),
  ]);
  return Object.fromEntries(calls) as unknown as Passed;
}
