import { runSteps } from './run-steps.mjs';
import { BUILD_STEPS, BUILT_STEPS, SOURCE_STEPS } from './steps.mjs';

/**
 * Runs the whole gate: compiles, builds, and runs all other checks. Since the compiler uses only one core, the steps
 * that read only sources run in parallel with it.
 * @param {(text: string) => void} write
 */
export async function runGate(write) {
  const inTurn = { write, parallel: 1 };
  const [built, sources] = await Promise.all([runSteps(BUILD_STEPS, inTurn), runSteps(SOURCE_STEPS, inTurn)]);
  return [...built, ...sources, ...(await runSteps(BUILT_STEPS, { write }))];
}
