import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pty from '@lydell/node-pty';
import {
  attachCommand,
  type Launched,
  type LaunchOptions,
  launch,
  listScreens,
  openScreenHost,
  readScreen,
  type ScreenHost,
} from '../../../src/platform/gnu-screen/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import type { RecordingFiles } from '../../../src/platform/recorder/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

/** A world with the real Screen in it. */
export interface ScreenWorld extends World, AsyncDisposable {
  host: ScreenHost;
  /** starts a session of 100×30 in the project's directory, marked by its name */
  launch(options: Pick<LaunchOptions, 'name' | 'command'> & Partial<LaunchOptions>, as?: ScreenHost): Promise<Launched>;
  recording(name: string): RecordingFiles;
  /** returns everything that was recorded so far */
  output(name: string): string;
  write(path: string, text: string): void;
  /** makes a program from a shell script; the process list shows the program under this name */
  installStandIn(name: string, script: string): string;
  /** returns a PATH with all programs of the system's PATH except one */
  binWithout(program: string): string;
}

/** The environment variable by which the processes of a session are found. */
export const SESSION_MARK = 'CBOS_SESSION';

/** @param subdirectory of the world for Screen's sockets, for tests about the length of its path */
export async function openScreenWorld(subdirectory = 's'): Promise<ScreenWorld> {
  const world = createWorld();
  const screenDir = join(world.dir, subdirectory);
  mkdirSync(screenDir, { recursive: true, mode: 0o700 });
  const host = await openScreenHost({
    env: world.env,
    screenDir,
    runDir: join(world.cbosHome, 'run'),
    tempDir: world.dir,
  });
  const recording = (name: string): RecordingFiles => ({
    typescript: join(world.streamDir, `${name}.typescript`),
    timing: join(world.streamDir, `${name}.timing`),
    flush: true,
  });
  return {
    ...world,
    host,
    recording,
    launch: (options, as = host) => {
      const mark = { name: SESSION_MARK, value: `${world.mark}.${options.name}` };
      return launch(as, {
        cwd: world.projectDir,
        cols: 100,
        rows: 30,
        recording: recording(options.name),
        mark,
        ...options,
        env: { ...world.env, SCREENDIR: screenDir, [mark.name]: mark.value, ...options.env },
      });
    },
    output: (name) => readFileSync(recording(name).typescript, 'utf8'),
    write: (path, text) => writeFileSync(join(world.dir, path), text),
    installStandIn: (name, script) => {
      const bin = join(world.dir, 'bin');
      mkdirSync(bin, { recursive: true });
      const path = join(bin, name);
      // This is a copy of the shell under another name. A script with `#!` would be listed under the name of its
      // interpreter.
      copyFileSync('/bin/sh', path);
      const body = join(bin, `${name}.sh`);
      writeFileSync(body, script);
      writeFileSync(join(bin, `run-${name}`), `#!/bin/sh\nexec ${path} ${body}\n`, { mode: 0o700 });
      return join(bin, `run-${name}`);
    },
    binWithout: (program) => {
      const bin = join(world.dir, `without-${program}`);
      mkdirSync(bin);
      for (const name of readdirSync('/usr/bin'))
        if (name !== program) symlinkSync(join('/usr/bin', name), join(bin, name));
      return bin;
    },
  };
}

/** Attaches a terminal of 90×25 to a session, as a person does. Resolves when it is attached. @returns detaches it */
export async function attachPerson(world: ScreenWorld, id: string): Promise<() => Promise<void>> {
  const [program = '', ...args] = attachCommand(id);
  const terminal = pty.spawn(program, args, { cols: 90, rows: 25, env: { ...world.env, SCREENDIR: world.host.dir } });
  await waitFor(async () => (await readScreen(world.host, id))?.attached === true, {
    describe: 'the person is attached',
  });
  return async () => {
    terminal.write('\x01d');
    await waitFor(async () => (await readScreen(world.host, id))?.attached === false, { describe: 'they are gone' });
  };
}

/** Starts a session as a person does, without CBOS. @returns its id */
export async function startForeign(
  world: ScreenWorld,
  options: { name: string; command: readonly string[]; cwd?: string },
): Promise<string> {
  const args = ['-U', '-dmS', options.name, ...options.command];
  const env = { ...world.env, SCREENDIR: world.host.dir };
  await runProgram('screen', args, { env, timeoutMs: 5_000, cwd: options.cwd ?? world.projectDir });
  const session = await waitFor(
    async () => (await listScreens(world.host)).find((one) => one.name === options.name && one.state === 'detached'),
    { describe: `${options.name} is listed` },
  );
  return session.id;
}
