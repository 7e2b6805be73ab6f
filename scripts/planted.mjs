// npm run planted [-- NAME…] [--quick] [--list]: plants faults in a copy of the checkout, one at a time, and tells
// which test finds each of them.
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { copyCheckout } from './planted/copy.mjs';
import { FAULTS } from './planted/faults.mjs';
import { openGuardedFolder } from './planted/guard.mjs';
import { DoesNotBuild, Trial, toolsFor } from './planted/trial.mjs';
import { ROOT } from './root.mjs';

const HELP = `usage: npm run planted [-- NAME…] [--quick] [--list]

Plants faults in the sources, one at a time, and runs the tests until one fails that passes without
the fault. Each fault breaks a promise of the documentation. Everything happens in a copy of this
checkout, in the folder for temporary files. The copy includes changes that are not committed.

For each fault, the suites that are expected to find it run first. If they find nothing, all suites of
\`npm test\` run, which takes as long as \`npm test\`.

  NAME…     only these faults
  --quick   run only the suites that are expected to find each fault
  --list    list the faults, with the promises that they break, and run nothing
  --help    print this help

VITEST_MAX_WORKERS=1 makes the tests use one core. Exit codes: 0 every fault was found, 1 a fault
survived or could not be planted, 2 wrong usage.
`;

const { names, flags } = readArguments();
if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const unknown = names.filter((name) => !FAULTS.some((fault) => fault.name === name));
if (unknown.length > 0) fail(`no fault is named ${unknown.join(', ')}; \`npm run planted -- --list\` lists them`);
const chosen = names.length === 0 ? FAULTS : FAULTS.filter(({ name }) => names.includes(name));
if (flags.list) {
  for (const { name, page, promise } of chosen) process.stdout.write(`${name}\n    ${page}: ${promise}\n`);
  process.exit(0);
}

const { folder, mark, release } = await openGuardedFolder();
const count = { caught: 0, survived: 0, broken: 0 };
let isStopped = false;
/** @type {Promise<void>} */
const stopped = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      isStopped = true;
      resolve();
    });
});
try {
  await Promise.race([tryAll(), stopped]);
} catch (error) {
  if (!(error instanceof DoesNotBuild)) throw error;
  process.stderr.write(`${error.message}\n`);
  count.broken = chosen.length;
} finally {
  await release();
}
if (isStopped) process.exit(130);
process.stdout.write(`${count.caught} caught, ${count.survived} survived, ${count.broken} broken\n`);
process.exitCode = count.survived + count.broken === 0 ? 0 : 1;

async function tryAll() {
  const copy = join(folder, 'cbos');
  copyCheckout(ROOT, copy);
  const env = { ...process.env, ...mark, NO_COLOR: '1', FORCE_COLOR: undefined };
  const trial = new Trial(copy, { tools: toolsFor(copy, env), isQuick: flags.quick });
  process.stdout.write('building a copy, and running the named suites without a fault\n');
  await trial.prepare(chosen.flatMap(({ suites }) => suites));
  for (const [index, fault] of chosen.entries()) {
    process.stdout.write(`${String(index + 1).padStart(2)}/${chosen.length} ${fault.name}: `);
    const started = performance.now();
    const outcome = await trial.try(fault);
    // The end of the processes that were stopped is no outcome.
    if (isStopped) return;
    count[outcome.kind] += 1;
    const seconds = Math.round((performance.now() - started) / 1_000);
    process.stdout.write(`${wordsFor(outcome)} (${seconds} s)\n`);
  }
}

function readArguments() {
  const boolean = { type: /** @type {const} */ ('boolean'), default: false };
  try {
    const options = { quick: boolean, list: boolean, help: { ...boolean, short: 'h' } };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { names: positionals, flags: values };
  } catch (error) {
    return fail(/** @type {Error} */ (error).message);
  }
}

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** @param {import('./planted/trial.mjs').Outcome} outcome */
function wordsFor(outcome) {
  switch (outcome.kind) {
    case 'caught':
      return `${coloured('green', 'caught')} by ${outcome.by}`;
    case 'survived':
      return coloured('red', 'SURVIVED');
    case 'broken':
      return `${coloured('red', 'BROKEN')}: ${outcome.why}`;
  }
}

/** @param {'green' | 'red'} colour @param {string} text */
function coloured(colour, text) {
  const isWanted = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '';
  return isWanted ? styleText(colour, text) : text;
}
