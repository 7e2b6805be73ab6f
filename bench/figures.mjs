/**
 * One measured figure.
 * @typedef {object} Figure
 * @property {string} name what was measured: "hook to WebSocket frame, median"
 * @property {number} value
 * @property {string} unit "ms", "% of a core", "MB"
 * @property {number} [limit] promised upper bound; a run beyond it fails
 * @property {{ row: string, column: string }} [cell] its place in a table of the documentation
 */

/**
 * The exports of a file `NAME.bench.ts` or `NAME.bench.mjs`.
 * @typedef {object} Bench
 * @property {string} about
 * @property {() => Promise<readonly Figure[]>} measure
 * @property {() => Promise<void>} [prepare] downloads what `measure` needs; `measure` then runs without a network
 */

/** @param {readonly number[]} values */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** @param {Figure} figure */
export function isWithinLimit({ value, limit }) {
  return limit === undefined || value <= limit;
}

/**
 * Formats figures as a table for people: name, value, unit, and the limit, marked if it is exceeded.
 * @param {readonly Figure[]} figures
 */
export function formatFigures(figures) {
  const rows = figures.map((figure) => [
    figure.name,
    figure.value >= 100 ? String(Math.round(figure.value)) : String(Number(figure.value.toPrecision(3))),
    figure.unit,
    figure.limit === undefined ? '' : `${isWithinLimit(figure) ? 'within' : 'BEYOND'} ${figure.limit}`,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(([name = '', value = '', unit = '', limit = '']) =>
      `  ${name.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)} ${unit.padEnd(widths[2] ?? 0)}  ${limit}`.trimEnd(),
    )
    .join('\n');
}
