import { spawn } from 'node:child_process';
import { CatalogueError, type Settings } from '../protocol/index.ts';
import { runningServer } from './server.ts';
import type { ThisProgram } from './this-program.ts';

/**
 * `screen -x` must look for sockets in the directory that the server uses, and must not think that it is running inside
 * a Screen session itself.
 */
async function attachEnvironment(
  { environment, pid }: ThisProgram,
  settings: Settings,
): Promise<ThisProgram['environment']> {
  const { STY: _, ...rest } = environment;
  const dir = (await runningServer(settings.home, pid))?.screen_dir ?? settings.screen_dir;
  return dir === null ? rest : { ...rest, SCREENDIR: dir };
}

/** Runs a program in this terminal until it exits. @returns the program's exit code */
export async function runAttached(self: ThisProgram, argv: readonly string[], settings: Settings): Promise<number> {
  const [program = '', ...args] = argv;
  const environment = await attachEnvironment(self, settings);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...environment } });
    child.once('error', (cause) =>
      reject(new CatalogueError('screen_not_found', `${program} did not start`, { cause })),
    );
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
