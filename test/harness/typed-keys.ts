import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './world.ts';

/** The keypresses sent to a world's Screen sessions, by any caller of `screen`. */
export interface TypedKeys {
  /** the environment for the server; the `screen` in it records the keys that it is asked to type */
  env: Record<string, string>;
  /** the calls that typed anything, in order; pass a slug to get only that session's calls */
  calls(slug?: string): string[];
  forget(): void;
}

/** Counts the keypresses that a server types. */
export function watchTypedKeys(world: World): TypedKeys {
  const bin = join(world.dir, 'counted');
  const log = join(world.dir, 'typed.log');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'screen');
  // The real program is found later in PATH than this directory.
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$*" | tr '\\r\\033' '^^' >>'${log}'\nPATH="\${PATH#*:}"\nexec screen "$@"\n`,
  );
  chmodSync(program, 0o755);
  appendFileSync(log, '');
  return {
    env: { PATH: `${bin}:${world.env.PATH}` },
    calls: (slug) =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter((line) => /-X\b.*\b(?:stuff|paste|readreg|readbuf)\b/.test(line))
        .filter((line) => slug === undefined || line.includes(`.${slug} `)),
    forget: () => writeFileSync(log, ''),
  };
}
