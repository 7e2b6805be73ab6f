import { afterAll } from 'vitest';
import { trackListeners } from '../../src/emitter/emitter.ts';
import { waitFor } from './wait-for.ts';

/**
 * The resources that a suite may leave open by mistake: timers, watchers, servers, and connections. Pipes to the runner
 * and to programs that are ending are not counted.
 */
const WATCHED: ReadonlySet<string> = new Set([
  'FSEventWrap',
  'Immediate',
  'StatWatcher',
  'TCPServerWrap',
  'TCPSocketWrap',
  'Timeout',
]);

/** A closed connection is released a moment later. */
const SETTLE_MS = 5_000;

/**
 * For each listener that nobody has removed yet, an error from the place in the code where it was added. Its stack is
 * read only if the listener is left: to map one to the sources takes a third of a millisecond.
 */
const listening = new Map<symbol, Error>();
trackListeners(() => {
  const key = Symbol();
  listening.set(key, new Error());
  return () => listening.delete(key);
});

const open = (): string[] => process.getActiveResourcesInfo().filter((kind) => WATCHED.has(kind));

// These belong to vitest itself, and existed before the suite.
const before = open();

/** This hook is registered first, so it runs after all other hooks of the suite. */
afterAll(async () => {
  let left: string[] = [];
  await waitFor(
    () => {
      left = [...open()];
      for (const kind of before) if (left.includes(kind)) left.splice(left.indexOf(kind), 1);
      left.push(...[...listening.values()].map(placeOf));
      return left.length === 0;
    },
    {
      describe: 'the suite has let go of its timers, watchers, connections and listeners',
      actual: () => left,
      timeoutMs: SETTLE_MS,
    },
  );
});

/** Returns the nearest call outside the emitter and this file. */
function placeOf({ stack = '' }: Error): string {
  const calls = stack
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
  return `a listener added ${calls.find((call) => !/emitter\.ts|leaks\.ts/.test(call)) ?? 'somewhere'}`;
}
