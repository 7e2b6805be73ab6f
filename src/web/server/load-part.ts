import { link } from './fleet.ts';

/** Between two attempts: longer than a proxy takes to come back, shorter than somebody waits. */
const PAUSE_MS = 1_000;
/** While the page is live: a part that does not come then does not come at all. */
const MAX_ATTEMPTS = 3;

/**
 * Loads a part of the page that is fetched when it is first needed. While the server is away it waits until it is back.
 * @throws Error with what to do: after an update the parts of the old page are gone
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; ) {
    try {
      return await load();
    } catch (cause) {
      if (attempt >= MAX_ATTEMPTS) {
        throw new Error('A part of this page could not be loaded: load the page again', { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (link.peek() === 'live') attempt++;
      else await untilLive();
    }
  }
}

function untilLive(): Promise<void> {
  return new Promise((resolve) => {
    const stop = link.subscribe((now) => {
      if (now !== 'live') return;
      resolve();
      // It is told at once, before it has its own disposer.
      queueMicrotask(() => stop());
    });
  });
}
