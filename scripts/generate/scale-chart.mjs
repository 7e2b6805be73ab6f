import { words } from './speed-page.mjs';

const PANEL = { width: 220, height: 150, gap: 20 };
const PLOT = { left: 44, top: 34, right: 14, bottom: 26 };
const COLUMNS = 3;
/** The rows of the table that do not represent a separate cost. */
const NOT_DRAWN = new Set([
  'cbos ls, processor against bare Node',
  'changes shown only after the next one',
  'start until it answers',
]);

/**
 * Draws how costs grow with the number of sessions. Each cost has its own panel, in which a dashed line shows growth in
 * proportion to the number of sessions.
 * @param {{ figures: import('../../bench/figures.mjs').Figure[] }} recorded bench/results/scale.json
 * @returns {string} SVG
 */
export function scaleChart({ figures }) {
  const panels = panelsOf(figures);
  const rows = Math.ceil(panels.length / COLUMNS);
  const width = COLUMNS * (PANEL.width + PANEL.gap) + PANEL.gap;
  const height = rows * (PANEL.height + PANEL.gap) + PANEL.gap;
  const drawn = panels.map((panel, index) => {
    const x = PANEL.gap + (index % COLUMNS) * (PANEL.width + PANEL.gap);
    const y = PANEL.gap + Math.floor(index / COLUMNS) * (PANEL.height + PANEL.gap);
    return `  <g transform="translate(${x} ${y})">\n${drawPanel(panel)}\n  </g>`;
  });
  const title = panels
    .map(
      ({ name, unit, points }) =>
        `${name}: ${points.map(({ at, value }) => `${words(value)} ${unit} at ${at}`).join(', ')}`,
    )
    .join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>How each cost grows with the number of sessions. ${title}</title>
  <style>
    text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #3c3f46; }
    .name { font-weight: 600; }
    .axis { stroke: #8885; }
    .line { fill: none; stroke: #3d5bd1; stroke-width: 2; }
    .point { fill: #3d5bd1; }
    .proportional { stroke: #9a9da6; stroke-dasharray: 4 4; }
    .ground { fill: #fff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #dfe1e6; }
      .ground { fill: #1b1b1f; }
      .line { stroke: #7f97ff; }
      .point { fill: #7f97ff; }
    }
  </style>
  <rect class="ground" width="${width}" height="${height}" rx="8"/>
${drawn.join('\n')}
</svg>
`;
}

/**
 * @typedef {{ name: string, unit: string, points: { at: number, value: number }[] }} Panel
 */

/** @param {readonly import('../../bench/figures.mjs').Figure[]} figures @returns {Panel[]} */
function panelsOf(figures) {
  /** @type {Map<string, Panel>} */
  const panels = new Map();
  for (const { cell, value, unit } of figures) {
    if (cell === undefined || NOT_DRAWN.has(cell.row)) continue;
    const panel = panels.get(cell.row) ?? { name: cell.row, unit, points: [] };
    panel.points.push({ at: Number(cell.column), value });
    panels.set(cell.row, panel);
  }
  return [...panels.values()];
}

/** @param {Panel} panel */
function drawPanel({ name, unit, points }) {
  const first = points[0] ?? { at: 0, value: 0 };
  const last = points.at(-1) ?? first;
  const most = Math.max(...points.map(({ value }) => value), Number.MIN_VALUE);
  const x = (/** @type {number} */ at) => PLOT.left + (at / last.at) * (PANEL.width - PLOT.left - PLOT.right);
  const y = (/** @type {number} */ value) =>
    PANEL.height - PLOT.bottom - (value / most) * (PANEL.height - PLOT.top - PLOT.bottom);
  const path = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  // The line starts at the first point, grows in proportion to the number of sessions, and ends at the top or right
  // edge, whichever comes first.
  const end = Math.min(last.at, first.value === 0 ? last.at : (first.at * most) / first.value);
  const endValue = first.at === 0 ? 0 : (first.value * end) / first.at;
  return [
    `    <text class="name" x="0" y="14">${name}, ${unit}</text>`,
    `    <line class="axis" x1="${PLOT.left}" y1="${y(0)}" x2="${x(last.at)}" y2="${y(0)}"/>`,
    `    <line class="proportional" x1="${x(first.at).toFixed(1)}" y1="${y(first.value).toFixed(1)}" x2="${x(end).toFixed(1)}" y2="${y(endValue).toFixed(1)}"/>`,
    `    <polyline class="line" points="${path}"/>`,
    ...points.map(
      ({ at, value }) => `    <circle class="point" cx="${x(at).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3"/>`,
    ),
    `    <text x="${PLOT.left - 8}" y="${y(most) + 4}" text-anchor="end">${words(most)}</text>`,
    `    <text x="${PLOT.left - 8}" y="${y(0) + 4}" text-anchor="end">0</text>`,
    ...points.map(
      ({ at }) => `    <text x="${x(at).toFixed(1)}" y="${PANEL.height - 8}" text-anchor="middle">${at}</text>`,
    ),
  ].join('\n');
}
