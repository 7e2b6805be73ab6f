import { link } from './fleet.ts';

/** The pause between two attempts. It is long enough for a proxy to recover, and short enough for users to wait. */
const PAUSE_MS = 1_000;
/** The maximum number of attempts while the page is live. If a part has not arrived by then, it never will. */
const MAX_ATTEMPTS = 3;

/**
 * Returns a loader for a part of the page that is imported on first use. While the server is down, the loader waits for
 * it to come back.
 *
 * If an import fails, some browsers remember the failure for as long as the page is open, both for that script and for
 * every script that imports it. (Chromium does so up to at least version 150, whereas 156 requests the script again.)
 * Failures of `fetch`, however, are not remembered. A part is therefore imported only after all late parts have been
 * loaded with `fetch`. The import then finds them in the browser's cache.
 * @returns a function that loads the part once; it throws an Error that says what to do if the part no longer exists,
 * which happens after an update
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
 * Loads something from the server. While the server is down, waits for it to come back.
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

/** The build writes the list of parts into the page (scripts/build/page.mjs). */
async function fetchLateParts(): Promise<void> {
  const named = document.querySelector<HTMLMetaElement>('meta[name="late-parts"]');
  if (named === null) throw new Error('the page does not name its late parts');
  await Promise.all(named.content.split(' ').map(fetchWhole));
}

async function fetchWhole(address: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  // Read the whole response, because the browser does not cache it otherwise.
  await answer.arrayBuffer();
}

function untilLive(): Promise<void> {
  return new Promise((resolve) => {
    const stop = link.subscribe((now) => {
      if (now !== 'live') return;
      resolve();
      // The first call of this listener happens before its disposer exists.
      queueMicrotask(() => stop());
    });
  });
}
