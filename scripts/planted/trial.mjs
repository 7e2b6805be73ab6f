import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { failures } from '../test/count-tests.mjs';
import { plant } from './copy.mjs';

/**
 * @typedef {import('./faults.mjs').Fault} Fault
 * @typedef {{ code: number | null, output: string }} Ended
 * @typedef {object} Tools
 * @property {() => Promise<Ended>} build checks types, then builds
 * @property {(suites: readonly string[], options: { isToEnd: boolean }) => Promise<string[]>} runSuites runs suites,
 *   all of them if none is named, until a test fails or to the end, and returns what failed: `FILE > TEST: MESSAGE`
 */

/**
 * What became of a fault. `broken`: the fault does not compile, or one of its suites fails without it, so it says
 * nothing about the tests.
 * @typedef {{ kind: 'caught', by: string } | { kind: 'survived' } | { kind: 'broken', why: string }} Outcome
 */

/** The sources have a fault of their own. */
export class DoesNotBuild extends Error {}

/** Tries faults in a copy of the checkout. */
export class Trial {
  /** @type {Map<string, boolean>} whether a suite passes without a fault */
  #passes = new Map();
  #folder;
  #tools;
  #isQuick;

  /**
   * @param {string} folder the copy
   * @param {{ tools: Tools, isQuick: boolean }} options `isQuick`: only the suites that a fault names run
   */
  constructor(folder, { tools, isQuick }) {
    this.#folder = folder;
    this.#tools = tools;
    this.#isQuick = isQuick;
  }

  /**
   * Runs suites without a fault, many at once, which takes less time than to do so fault by fault.
   * @param {readonly string[]} suites @throws DoesNotBuild
   */
  async prepare(suites) {
    await this.#failingWithout(suites);
  }

  /**
   * Plants a fault and looks for a test that fails with it and passes without it. The named suites run first, and all
   * others only if these find nothing. Leaves the sources without the fault.
   * @param {Fault} fault
   * @returns {Promise<Outcome>}
   */
  async try(fault) {
    const [unfit] = await this.#failingWithout(fault.suites);
    if (unfit !== undefined) return { kind: 'broken', why: `${unfit} fails without a fault` };
    const named = await this.#failingWith(fault, fault.suites);
    if (typeof named === 'string') return { kind: 'broken', why: named };
    if (named[0] !== undefined) return { kind: 'caught', by: named[0] };
    while (!this.#isQuick) {
      const failed = await this.#failingWith(fault, []);
      if (typeof failed === 'string') return { kind: 'broken', why: failed };
      if (failed.length === 0) break;
      const files = [...new Set(failed.map(fileOf))].filter((file) => existsSync(join(this.#folder, file)));
      const unfit = await this.#failingWithout(files);
      const found = failed.find((failure) => !unfit.includes(fileOf(failure)));
      if (found !== undefined) return { kind: 'caught', by: found };
      // They prove nothing, and would end each later run before the others have run.
      for (const file of unfit) rmSync(join(this.#folder, file));
    }
    return { kind: 'survived' };
  }

  /** Returns the suites that fail without a fault. @param {readonly string[]} suites */
  async #failingWithout(suites) {
    const unknown = [...new Set(suites)].filter((suite) => !this.#passes.has(suite));
    if (unknown.length > 0) {
      const { code, output } = await this.#tools.build();
      if (code !== 0) throw new DoesNotBuild(`the sources do not build without a fault:\n${output.trim()}`);
      const failed = (await this.#tools.runSuites(unknown, { isToEnd: true })).map(fileOf);
      for (const suite of unknown) this.#passes.set(suite, !failed.includes(suite));
    }
    return suites.filter((suite) => this.#passes.get(suite) === false);
  }

  /**
   * Returns what fails with a fault, or why the fault does not compile.
   * @param {Fault} fault
   * @param {readonly string[]} suites
   */
  async #failingWith(fault, suites) {
    const remove = plant(this.#folder, fault);
    try {
      const { code, output } = await this.#tools.build();
      return code === 0 ? await this.#tools.runSuites(suites, { isToEnd: false }) : output.trim();
    } finally {
      remove();
    }
  }
}

/** @param {string} failure */
const fileOf = (failure) => failure.split(/ > |: /, 1)[0] ?? '';

/**
 * Returns the tools that build and test a copy.
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @returns {Tools}
 */
export function toolsFor(folder, env) {
  const report = join(folder, 'build', 'planted-report.json');
  return {
    build: () => run(process.execPath, [join('scripts', 'build.mjs')], { cwd: folder, env }),
    runSuites: async (suites, { isToEnd }) => {
      rmSync(report, { force: true });
      const vitest = join(folder, 'node_modules', '.bin', 'vitest');
      const args = [
        'run',
        ...suites,
        ...(isToEnd ? [] : ['--bail=1']),
        '--reporter=json',
        `--outputFile.json=${report}`,
      ];
      const { code, output } = await run(vitest, args, { cwd: folder, env });
      if (code === 0) return [];
      const failed = failures(readReport(report), folder);
      // For example, a test has left a process behind.
      return failed.length > 0 ? failed : [`the run: ${output.trim()}`];
    },
  };
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Ended>} standard output and standard error, in the order in which they arrived
 */
function run(command, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    /** @type {Buffer[]} */
    const pieces = [];
    child.stdout.on('data', (piece) => pieces.push(piece));
    child.stderr.on('data', (piece) => pieces.push(piece));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: Buffer.concat(pieces).toString('utf8') }));
  });
}

/** Returns null if vitest ended before it wrote a report. @param {string} path */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
