import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { capture, tool, tsc } from '../run-command.mjs';
import { quarantineComplaints } from '../test/quarantine.mjs';
import { oversizedFiles } from './file-sizes.mjs';
import { houseComplaints } from './house.mjs';
import { wordComplaints } from './plain-words.mjs';
import { packageComplaints } from './published-package.mjs';
import { slowFiles } from './slow-files.mjs';
import { statusWordComplaints } from './status-words.mjs';

/**
 * @typedef {import('../run-command.mjs').Outcome} Outcome
 * @typedef {{ name: string, run: () => Promise<Outcome> }} Step
 */

/**
 * The steps that produce the inputs of later steps: declarations, the sources of generated pages, and the built
 * package. They run one at a time.
 * @type {readonly Step[]}
 */
export const BUILD_STEPS = [
  { name: 'types', run: () => capture(tsc(), ['-b']) },
  { name: 'build', run: () => capture(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--bundle-only']) },
  // This step fails if a link is broken.
  { name: 'documentation', run: () => capture(process.execPath, [join(ROOT, 'scripts', 'docs.mjs')]) },
];

/**
 * The steps that read only sources and can therefore run in parallel with the steps that build.
 * @type {readonly Step[]}
 */
export const SOURCE_STEPS = [
  {
    name: 'format and lint',
    run: () =>
      capture(tool('biome'), ['check', '--error-on-warnings', '--diagnostic-level=warn', '--max-diagnostics=100']),
  },
  {
    name: 'layers',
    run: async () =>
      cruised(
        await capture(tool('depcruise'), [
          '--config',
          '.dependency-cruiser.cjs',
          '--output-type',
          'err',
          'src',
          'test',
          'scripts',
        ]),
      ),
  },
  { name: 'unused code and dependencies', run: () => capture(tool('knip'), ['--no-progress']) },
  { name: 'file sizes', run: async () => outcomeOf(oversizedFiles()) },
  { name: 'house', run: async () => outcomeOf(houseComplaints()) },
  { name: 'plain words', run: async () => outcomeOf(wordComplaints()) },
  { name: 'status words', run: async () => outcomeOf(statusWordComplaints()) },
  { name: 'test times', run: async () => outcomeOf(slowFiles()) },
  { name: 'quarantine', run: async () => outcomeOf(quarantineComplaints()) },
];

/**
 * The steps that read the results of the build.
 * @type {readonly Step[]}
 */
export const BUILT_STEPS = [
  { name: 'package', run: async () => outcomeOf(await packageComplaints()) },
  {
    name: 'generated files',
    run: async () => outcomeOf(await (await import('../generate/generated-files.mjs')).staleFiles()),
  },
];

/**
 * Refuses a check of no modules. Without the interface of TypeScript 6, dependency-cruiser sees no files in TypeScript,
 * and reports no violations (17.4.3).
 * @param {Outcome} outcome @returns {Outcome}
 */
export function cruised(outcome) {
  if (!outcome.ok || !outcome.output.includes('(0 modules,')) return outcome;
  return { ok: false, output: `${outcome.output}dependency-cruiser found no modules: is the package typescript 6?\n` };
}

/** @param {string[]} complaints @returns {Outcome} */
function outcomeOf(complaints) {
  return { ok: complaints.length === 0, output: complaints.map((line) => `${line}\n`).join('') };
}
