const [FIRST, LAST] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** The keys of a pager, and how they move: by lines or items, by pages, or to an end. */
const STEPS: Readonly<Record<string, { by: number } | { pages: number }>> = {
  ...{ j: { by: 1 }, down: { by: 1 }, k: { by: -1 }, up: { by: -1 } },
  ...{ pagedown: { pages: 1 }, ' ': { pages: 1 }, pageup: { pages: -1 } },
  ...{ g: { by: FIRST }, home: { by: FIRST }, G: { by: LAST }, end: { by: LAST } },
};

export const PAGER_KEYS = Object.keys(STEPS);

/**
 * Returns how many lines or items a key moves, or undefined if it is not a pager key.
 * @param height how many of them are visible
 */
export function pagerStep(key: string, height: number): number | undefined {
  const step = Object.hasOwn(STEPS, key) ? STEPS[key] : undefined;
  if (step === undefined) return undefined;
  return 'by' in step ? step.by : step.pages * height;
}
