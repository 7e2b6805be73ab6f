import { ACCESS_FAULTS } from './access-faults.mjs';
import { SESSION_FAULTS } from './session-faults.mjs';

/**
 * A fault that `npm run planted` puts into the sources, and that the tests must find.
 * @typedef {object} Fault
 * @property {string} name
 * @property {string} page the page that makes the promise
 * @property {string} promise the promise that the fault breaks, as the page words it
 * @property {string} file the source file
 * @property {string} text what the fault replaces; the file contains it exactly once
 * @property {string} instead what takes its place
 * @property {readonly string[]} suites the suites that run first; if they do not find the fault, all others run too
 */

/** The faults were chosen from the promises, without a look at which tests exist. @type {readonly Fault[]} */
export const FAULTS = [...SESSION_FAULTS, ...ACCESS_FAULTS];
