import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../root.mjs';
import { fingerprint, isBuilt, rememberFingerprint, TARGETS } from './fingerprint.mjs';

/**
 * Builds a target if its sources have changed. If the build fails, it exits the process.
 * @param {import('./fingerprint.mjs').Target} target
 * @param {{ force: boolean }} flags
 * @param {(options: { output: string }) => Promise<void>} build
 */
export async function makeTarget(target, { force }, build) {
  const current = fingerprint(target);
  if (!force && isBuilt(target, current)) return;
  const started = performance.now();
  const { output } = TARGETS[target];
  try {
    await build({ output });
  } catch (error) {
    // The bundler colours its messages regardless of NO_COLOR.
    process.stderr.write(`${stripVTControlCharacters(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(1);
  }
  rememberFingerprint(target, current);
  process.stdout.write(`built ${relative(ROOT, output)} in ${Math.round(performance.now() - started)} ms\n`);
}
