import { runSteps } from './run-steps.mjs';
import { BUILD_STEPS, HYGIENE_STEPS } from './steps.mjs';

/**
 * Runs the whole gate: compiles and builds, then does all other checks.
 * @param {(text: string) => void} write
 */
export async function runGate(write) {
  const built = await runSteps(BUILD_STEPS, { write, parallel: 1 });
  return [...built, ...(await runSteps(HYGIENE_STEPS, { write }))];
}
