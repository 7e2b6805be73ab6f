/**
 * Returns a size that an environment variable may change, so that a benchmark can be tried quickly. Recorded results
 * use the usual size.
 */
export function sizeFrom(variable: string, usual: number): number {
  const [size = usual] = sizesFrom(variable, [usual]);
  return size;
}

/** Returns several sizes: `BENCH_SESSIONS=10,50`. */
export function sizesFrom(variable: string, usual: readonly number[]): readonly number[] {
  const given = process.env[variable];
  if (given === undefined) return usual;
  const sizes = given.split(',').map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 1)) {
    throw new Error(`${variable} is "${given}"; give whole numbers above 0, separated by commas`);
  }
  return sizes;
}
