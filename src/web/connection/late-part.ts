import { link } from './fleet.ts';

/** The pause between two attempts. A proxy recovers within this time, and a user will not wait longer. */
const PAUSE_MS = 1_000;
/**
 * The number of attempts while the page is live. A part that has not arrived after that many will not arrive at all.
 */
const MAX_ATTEMPTS = 3;

/**
 * Returns a loader for a part of the page that is imported when it is first needed. While the server is gone, the
 * loader waits until it is back.
 *
 * If a script cannot be imported, a browser remembers the failure as long as the page is open, for that address and for
 * every script that imports it (Chromium up to 150 at least; 156 requests it again). A part is therefore imported only
 * after all late parts have been loaded by `fetch`, whose failures are not remembered. The import then finds them in
 * the browser's cache.
 * @returns a function that loads the part once; it throws an Error that says what to do, because after an update the
 *   parts of the old page are gone
 */
export function latePart<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  const fetchAndLoad = async (): Promise<T> => {
    await fetchLateParts();
    return load();
  };
  return () => {
    loading ??= retryWhileAway(fetchAndLoad).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

/**
 * Loads something from the server. While the server is gone, waits until it is back.
 * @throws Error that says what to do
 */
export async function retryWhileAway<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; ) {
    try {
      return await load();
    } catch (cause) {
      if (attempt >= MAX_ATTEMPTS) {
        throw new Error('Part of this page could not be loaded; reload the page', { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (link.peek() === 'live') attempt++;
      else await untilLive();
    }
  }
}

/** The build lists the parts in the page (scripts/build/page.mjs). */
async function fetchLateParts(): Promise<void> {
  const named = document.querySelector<HTMLMetaElement>('meta[name="late-parts"]');
  if (named === null) throw new Error('the page does not name its late parts');
  await Promise.all(named.content.split(' ').map(fetchWhole));
}

async function fetchWhole(address: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  // The browser caches only a response that has been read to its end.
  await answer.arrayBuffer();
}

function untilLive(): Promise<void> {
  return new Promise((resolve) => {
    const stop = link.subscribe((now) => {
      if (now !== 'live') return;
      resolve();
      // The listener is called immediately, before it has its own disposer.
      queueMicrotask(() => stop());
    });
  });
}
