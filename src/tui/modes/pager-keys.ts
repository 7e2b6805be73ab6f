/**
 * Returns how many lines or items a key moves, or undefined if it is not a pager key.
 * @param height how many of them are visible
 */
export function pagerStep(key: string, height: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    j: 1,
    down: 1,
    k: -1,
    up: -1,
    pagedown: height,
    ' ': height,
    pageup: -height,
    g: Number.NEGATIVE_INFINITY,
    home: Number.NEGATIVE_INFINITY,
    G: Number.POSITIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  };
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}
