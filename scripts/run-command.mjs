import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './root.mjs';

/**
 * @typedef {{ ok: boolean, output: string }} Outcome
 */

/** Returns the path of a development tool that npm linked into node_modules. @param {string} name */
export function tool(name) {
  return join(ROOT, 'node_modules', '.bin', name);
}

/**
 * Returns the path of the compiler, which is TypeScript 7. The package `typescript` is version 6, because
 * dependency-cruiser needs the interface for JavaScript that version 7 does not have. Both link a program named `tsc`.
 */
export const tsc = () => fileURLToPath(new URL('bin/tsc', import.meta.resolve('@typescript/native/package.json')));

/**
 * The environment for commands. It disables colours, because the output is stored and read later, often in a log
 * instead of a terminal.
 */
export const PLAIN = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };

/**
 * Runs a command in the checkout and returns its standard output and standard error, in the order in which they
 * arrived. If the command cannot be started, that is an ordinary outcome: the result is not ok and contains the reason.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<Outcome>}
 */
export function capture(command, args, env = PLAIN) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    /** @type {Buffer[]} */
    const pieces = [];
    child.stdout.on('data', (piece) => pieces.push(piece));
    child.stderr.on('data', (piece) => pieces.push(piece));
    child.on('error', (error) => resolve({ ok: false, output: `${command}: ${error.message}\n` }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(pieces).toString('utf8') }));
  });
}

/**
 * Runs a command in the current terminal.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>} exit code; 1 if the command could not be started or a signal ended it
 */
export function passThrough(command, args, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
