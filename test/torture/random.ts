/** Random numbers that a seed reproduces (mulberry32). */
export interface Random {
  /** a number from 0 to 1, without 1 */
  next(): number;
  /** a whole number from `low` to `high`, both included */
  int(low: number, high: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** one of the names, with a probability in proportion to its weight */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    int,
    pick: (from) => from[int(0, from.length - 1)] ?? from[0],
    weighted: <K extends string>(weights: Readonly<Partial<Record<K, number>>>): K => {
      const entries = Object.entries(weights) as [K, number][];
      let at = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        at -= weight;
        if (at < 0) return name;
      }
      throw new Error('there is nothing to choose from');
    },
  };
}

/**
 * Returns the seed of a run: `TORTURE_SEED` if it is set, or else the given one. A run prints its seed, so that a
 * failure can be repeated.
 */
export function seedOf(env: Readonly<Record<string, string | undefined>>, otherwise: number): number {
  const given = Number(env.TORTURE_SEED);
  return Number.isSafeInteger(given) && given > 0 ? given : otherwise;
}
