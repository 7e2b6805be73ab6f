import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorld } from '../harness/world.ts';

/** Debian's user `nobody`, who may not install anything. */
const NOBODY = 65_534;

/** Programs of a minimal Debian with Node, npm, and git. `screen` and `script` are not among them. */
const BASICS = ['sh', 'env', 'ln', 'cp', 'mkdir', 'cat', 'touch', 'true'];

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A checkout on a machine that has only the given programs, used by a person who is not root. */
export interface Machine {
  dir: string;
  /** adds a program to PATH: a shell script */
  program(name: string, script: string): void;
  /** adds the real programs with these names to PATH */
  realProgram(...names: string[]): void;
  /** writes a file in the checkout */
  write(path: string, content: string): void;
  /** runs `node ARGUMENTS` in the checkout */
  node(...args: string[]): Outcome;
  dispose(): Promise<void>;
}

const CHECKOUT = new URL('../..', import.meta.url).pathname;

/** Creates the machine. PATH is a single directory, so no program of the real system is found by accident. */
export function createMachine(): Machine & AsyncDisposable {
  const world = createWorld();
  const dir = world.project('checkout');
  const bin = world.project('bin');
  for (const part of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.base.json']) {
    cpSync(join(CHECKOUT, part), join(dir, part), { recursive: true });
  }
  symlinkSync(process.execPath, join(bin, 'node'));

  const realProgram = (...names: string[]): void => {
    for (const name of names) {
      symlinkSync(execFileSync('/usr/bin/which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
    }
  };
  realProgram(...BASICS);

  return {
    dir,
    realProgram,
    program: (name, script) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
    write: (path, content) => {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    node: (...args) => {
      const isRoot = process.getuid?.() === 0;
      if (isRoot) giveTo(world.dir, NOBODY);
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: dir,
        encoding: 'utf8',
        env: { ...world.env, PATH: bin },
        ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
      });
      return { code: status, stdout, stderr };
    },
    dispose: world.dispose,
    [Symbol.asyncDispose]: world.dispose,
  };
}

function giveTo(path: string, uid: number): void {
  chmodSync(path, 0o755);
  chownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTo(join(path, entry.name), uid);
    else if (entry.isFile()) chownSync(join(path, entry.name), uid, uid);
  }
}
