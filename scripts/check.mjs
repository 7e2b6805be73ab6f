// npm run check: checks everything about the sources that can be checked without running them.
import { runGate } from './check/gate.mjs';

const results = await runGate((text) => process.stdout.write(text));
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
