const WIDTH = 720;
const BAR_X = 250;
const BAR_WIDTH = 380;
const ROW = 46;
const TOP = 16;

/**
 * Draws the chart on the accuracy page from the tables in docs/ACCURACY.md.
 * @param {string} page docs/ACCURACY.md
 * @returns {string} SVG
 */
export function accuracyChart(page) {
  const bars = barsOf(page);
  const height = TOP + bars.length * ROW + 8;
  const rows = bars.map(({ name, percent, isOurs }, index) => {
    const y = TOP + index * ROW;
    const width = (BAR_WIDTH * percent) / 100;
    return [
      `  <text x="${BAR_X - 14}" y="${y + 19}" text-anchor="end">${name}</text>`,
      `  <rect class="track" x="${BAR_X}" y="${y}" width="${BAR_WIDTH}" height="28" rx="4"/>`,
      `  <rect class="${isOurs ? 'ours' : 'other'}" x="${BAR_X}" y="${y}" width="${width.toFixed(1)}" height="28" rx="4"/>`,
      `  <text class="figure" x="${BAR_X + BAR_WIDTH + 12}" y="${y + 19}">${words(percent)} %</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
  <title>How often the status is right: ${bars.map(({ name, percent }) => `${name} ${words(percent)} %`).join(', ')}</title>
  <style>
    text { font: 15px ui-sans-serif, system-ui, sans-serif; fill: #3c3f46; }
    .figure { font-weight: 600; }
    .track { fill: #8882; }
    .ours { fill: #3d5bd1; }
    .other { fill: #9a9da6; }
    .ground { fill: #fff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #dfe1e6; }
      .ground { fill: #1b1b1f; }
      .ours { fill: #7f97ff; }
      .other { fill: #767a85; }
    }
  </style>
  <rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>
${rows.join('\n')}
</svg>
`;
}

/** @param {string} page */
function barsOf(page) {
  const [before = '', live = '', heldOut = ''] = page.split(/^## (?=Live|On versions)/m);
  // Skip the last table of that section, which scores the same recordings again with rules that were written after
  // these recordings were seen.
  const unseen = heldOut
    .split(/^(?=Scored once)/m)
    .slice(1)
    .map((part) => /^\| \*\*all\*\* \| (\d+) \| ([\d.]+) %/m.exec(part))
    .map((row) => ({ samples: Number(row?.[1]), percent: Number(row?.[2]) }));
  const samples = unseen.reduce((sum, one) => sum + one.samples, 0);
  const right = unseen.reduce((sum, one) => sum + one.samples * one.percent, 0);
  const lives = [...live.matchAll(/^\| [\d.]+ \| \d+ \| \d+ \| \d+ \| ([\d.]+) %/gm)];
  return [
    { name: 'CBOS, all sources, live', percent: Number(lives.at(-1)?.[1]), isOurs: true },
    { name: 'CBOS, screen alone', percent: strictOf(before, 'CBOS'), isOurs: true },
    { name: 'CBOS, screen alone, unseen', percent: right / samples, isOurs: true },
    { name: 'Patterns, two levels', percent: strictOf(before, 'first match, two levels'), isOurs: false },
    { name: 'Patterns, one word', percent: strictOf(before, 'first match, one word'), isOurs: false },
  ].map((bar) => {
    if (!Number.isFinite(bar.percent)) throw new Error(`docs/ACCURACY.md has no figure for the chart: ${bar.name}`);
    return bar;
  });
}

/** @param {string} text @param {string} detector */
function strictOf(text, detector) {
  return Number(new RegExp(`^\\| ${detector} \\| \\d+ \\| ([\\d.]+) %`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** Formats a percentage. Only an exact 100 is shown as 100. @param {number} percent */
function words(percent) {
  return percent === 100 ? '100' : Math.min(percent, 99.99).toFixed(2);
}
