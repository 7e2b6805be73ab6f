import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * @typedef {import('./run-file.mjs').Figures} Figures
 * `recorded` says when and on which machine. Figures that nobody has measured are left out.
 * @typedef {{ wall: number, cpu?: number, launches?: number }} Recorded
 * @typedef {{ recorded: string, files: Record<string, Recorded> }} Record_
 */

/**
 * The recorded figures. They order the files of a run, and show what a change adds. `npm test -- --record` on an idle
 * machine writes them.
 */
export const RECORD_FILE = join(ROOT, 'test', 'figures.json');

const DEAREST = 10;

/** A file that takes a third longer than recorded, and at least this many seconds, has grown. Less is noise. */
const GROWTH = { factor: 4 / 3, seconds: 5, launches: 2 };

/** The pace of a machine is the median over at least this many files, each of which took at least this many seconds. */
const PACE = { files: 20, seconds: 2 };

/** @returns {Record_} */
export function readRecord() {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8'));
}

/**
 * Returns the lines about what a run used: the files that took the most processor time, and the sums.
 * @param {Record<string, Figures>} files @returns {string[]}
 */
export function dearest(files) {
  const rows = Object.entries(files).sort(([, one], [, other]) => other.cpu - one.cpu);
  const sum = (/** @type {keyof Figures} */ key) => rows.reduce((total, [, figures]) => total + figures[key], 0);
  return [
    'the dearest files (seconds, seconds of processor time, launches of Claude Code; all are in build/test-run.json):',
    ...rows.slice(0, DEAREST).map(([file, figures]) => line(file, figures)),
    line(`${rows.length} files`, { wall: sum('wall'), cpu: sum('cpu'), launches: sum('launches') }),
  ];
}

/** @param {string} name @param {Figures} figures */
function line(name, { wall, cpu, launches }) {
  return `${wall.toFixed(1).padStart(8)} ${cpu.toFixed(1).padStart(8)} ${String(launches).padStart(4)}  ${name}`;
}

/**
 * Returns one line for each file that the record does not know, and for each that has grown. On a machine that is
 * slower than that of the record, a file has grown if it takes longer than the others let expect.
 * @param {Record<string, Recorded>} recorded @param {Record<string, Figures>} files @returns {string[]}
 */
export function differences(recorded, files) {
  const pace = { wall: paceOf('wall', recorded, files), cpu: paceOf('cpu', recorded, files), launches: 1 };
  const lines = Object.entries(files).flatMap(([file, now]) => {
    const before = recorded[file];
    if (before === undefined) return [`${file} is new: ${inWords(now)}`];
    const isLarger = (/** @type {keyof Figures} */ key, /** @type {number} */ least) => {
      const known = before[key];
      if (known === undefined) return false;
      const expected = known * pace[key];
      return now[key] > expected * GROWTH.factor && now[key] >= expected + least;
    };
    const hasGrown =
      isLarger('wall', GROWTH.seconds) || isLarger('cpu', GROWTH.seconds) || isLarger('launches', GROWTH.launches);
    return hasGrown ? [`${file} has grown: ${inWords(now)}; recorded: ${inWords(before)}`] : [];
  });
  if (Math.max(pace.wall, pace.cpu) < GROWTH.factor) return lines;
  const times = `${pace.wall.toFixed(1)} times as long, and ${pace.cpu.toFixed(1)} times the processor time`;
  return [`half of the files took at least ${times} of the record`, ...lines];
}

/**
 * Returns how many times as much as recorded the files take on this machine, or 1 if they take less, or if too few ran.
 * @param {'wall' | 'cpu'} key @param {Record<string, Recorded>} recorded @param {Record<string, Figures>} files
 */
function paceOf(key, recorded, files) {
  const ratios = Object.entries(files)
    .map(([file, now]) => ({ now: now[key], before: recorded[file]?.[key] ?? 0 }))
    .filter(({ before }) => before >= PACE.seconds)
    .map(({ now, before }) => now / before)
    .sort((one, other) => one - other);
  return ratios.length < PACE.files ? 1 : Math.max(1, ratios[ratios.length >> 1] ?? 1);
}

/** @param {Recorded} figures */
function inWords({ wall, cpu, launches }) {
  const of = [`${wall.toFixed(0)} s`];
  if (cpu !== undefined) of.push(`${cpu.toFixed(0)} s of processor time`);
  if (launches !== undefined) of.push(`${launches} launches`);
  return of.join(', ');
}

/**
 * Returns the record with the figures of a run in it, without files that no longer exist.
 * @param {Record_} record @param {Record<string, Figures>} files @param {string} day @returns {Record_}
 */
export function withRun(record, files, day) {
  const all = Object.entries({ ...record.files, ...files }).filter(([file]) => existsSync(join(ROOT, file)));
  return {
    recorded: `${day}, ${availableParallelism()} cores`,
    files: Object.fromEntries(
      all.sort(([one], [other]) => (one < other ? -1 : 1)).map(([file, figures]) => [file, rounded(figures)]),
    ),
  };
}

/** @param {Recorded} figures @returns {Recorded} */
function rounded(figures) {
  const tenths = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  const { wall, cpu, ...rest } = figures;
  return { wall: tenths(wall), ...(cpu === undefined ? {} : { cpu: tenths(cpu) }), ...rest };
}

/** Writes the record, one file a line. @param {Record_} record */
export function writeRecord({ recorded, files }) {
  const lines = Object.entries(files).map(([file, figures]) => {
    const values = Object.entries(figures).map(([key, value]) => `"${key}": ${value}`);
    return `    ${JSON.stringify(file)}: { ${values.join(', ')} }`;
  });
  const text = `{\n  "recorded": ${JSON.stringify(recorded)},\n  "files": {\n${lines.join(',\n')}\n  }\n}\n`;
  writeFileSync(RECORD_FILE, text);
}
