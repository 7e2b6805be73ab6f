// npm run check: runs all checks of the sources that do not require running the program.
import { runGate } from './check/gate.mjs';

const results = await runGate((text) => process.stdout.write(text));
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
