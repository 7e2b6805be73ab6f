import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Launched,
  type LaunchOptions,
  launch,
  openScreenHost,
  type ScreenHost,
} from '../../../src/platform/gnu-screen/index.ts';
import type { RecordingFiles } from '../../../src/platform/recorder/index.ts';
import { createWorld, type World } from '../../harness/world.ts';

/** A world with the real Screen in it. */
export interface ScreenWorld extends World, AsyncDisposable {
  host: ScreenHost;
  /** starts a session of 100×30 in the project's directory, marked by its name */
  launch(options: Pick<LaunchOptions, 'name' | 'command'> & Partial<LaunchOptions>): Promise<Launched>;
  recording(name: string): RecordingFiles;
  /** all that was recorded so far */
  output(name: string): string;
  write(path: string, text: string): void;
  /** a PATH with all that the system's has but one program */
  binWithout(program: string): string;
}

/** The environment variable that the session's processes are found by. */
export const SESSION_MARK = 'CBOS_SESSION';

/** @param subdirectory of the world for Screen's sockets, where its length matters */
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
    launch: (options) => {
      const mark = { name: SESSION_MARK, value: `${world.mark}.${options.name}` };
      return launch(host, {
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
    binWithout: (program) => {
      const bin = join(world.dir, `without-${program}`);
      mkdirSync(bin);
      for (const name of readdirSync('/usr/bin'))
        if (name !== program) symlinkSync(join('/usr/bin', name), join(bin, name));
      return bin;
    },
  };
}
