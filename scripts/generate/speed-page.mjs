/**
 * @typedef {import('../../bench/figures.mjs').Figure} Figure
 * @typedef {{ at: string, commit: string | null, load: [number, number], figures: Figure[],
 *   machine: import('../../bench/machine.mjs').Machine }} Recorded
 */

/** @param {string} name */
const begin = (name) => `<!-- This is written by \`npm run generate\` from bench/results/${name}.json. -->`;
const END = '<!-- The end of what is generated. -->';

/**
 * Replaces the tables on the page about speed. The rest of the page stays unchanged.
 * @param {string} page
 * @param {Readonly<Record<string, Recorded>>} results by the name of the benchmark
 */
export function withSpeedTables(page, results) {
  return Object.entries(results).reduce((text, [name, recorded]) => {
    const [before, rest] = text.split(begin(name));
    const end = rest?.indexOf(END) ?? -1;
    if (rest === undefined || end === -1) throw new Error(`docs/explanation/speed.md lacks ${begin(name)}, or its end`);
    const table = recorded.figures.some(({ cell }) => cell !== undefined) ? grid(recorded) : list(recorded);
    const after = rest.slice(end + END.length);
    return `${before}${[begin(name), '', ...table, '', measuredOn(recorded), '', END].join('\n')}${after}`;
  }, page);
}

/**
 * Returns a table with a row for each measurement and a column for each program or size.
 * @param {Recorded} recorded
 */
function grid({ figures }) {
  const cells = figures.flatMap(({ cell, value, unit }) => (cell === undefined ? [] : [{ ...cell, value, unit }]));
  const rows = [...new Set(cells.map(({ row }) => row))];
  const columns = [...new Set(cells.map(({ column }) => column))];
  const lines = rows.map((row) => {
    const ofRow = cells.filter((cell) => cell.row === row);
    const ours = ofRow.find(({ column }) => column === 'CBOS');
    const values = columns.map((column) => {
      const found = ofRow.find((cell) => cell.column === column);
      return found === undefined ? '—' : compared(found.value, found === ours ? null : (ours?.value ?? null));
    });
    return `| ${row}, ${ofRow[0]?.unit} | ${values.join(' | ')} |`;
  });
  return [`| | ${columns.join(' | ')} |`, `|---|${columns.map(() => '--:|').join('')}`, ...lines];
}

/** Returns a table with a row for each figure. @param {Recorded} recorded */
function list({ figures }) {
  return [
    '| what | measured | limit |',
    '|---|--:|--:|',
    ...figures.map(({ name, value, unit, limit }) => {
      const promise = limit === undefined ? '—' : `${limit}${value > limit ? ', **missed**' : ''}`;
      return `| ${name} | ${words(value)} ${unit} | ${promise} |`;
    }),
  ];
}

/**
 * Formats a figure, followed by the ratio of CBOS's own figure to it.
 * @param {number} value @param {number | null} ours null in CBOS's own column
 */
function compared(value, ours) {
  return ours === null || value === 0 ? words(value) : `${words(value)} (${words(ours / value)}×)`;
}

/** @param {number} value */
export function words(value) {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}

/** @param {Recorded} recorded */
function measuredOn({ at, commit, load, machine }) {
  const [before, after] = load;
  const loads = `the load was ${before} before and ${after} after`;
  return `Measured on ${at.slice(0, 10)} at commit ${commit ?? 'unknown'}: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}; ${loads}.`;
}
