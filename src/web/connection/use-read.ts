import { useEffect } from 'preact/hooks';

/**
 * Requests something from the server when a component appears, and again whenever one of the values changes. If a newer
 * request has been sent, or the component is no longer shown, the answer is dropped.
 * @param request null if nothing is to be requested now
 */
export function useRead<T>(
  request: (() => Promise<T>) | null,
  { onRead, onError }: { onRead(answer: T): void; onError(error: unknown): void },
  values: readonly unknown[],
): void {
  useEffect(() => {
    if (request === null) return;
    let isOutdated = false;
    request()
      .then((answer) => {
        if (!isOutdated) onRead(answer);
      })
      .catch((error: unknown) => {
        if (!isOutdated) onError(error);
      });
    return () => {
      isOutdated = true;
    };
  }, values);
}
