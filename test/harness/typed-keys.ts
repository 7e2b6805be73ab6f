import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './world.ts';

/** The keypresses sent to the Screen sessions of a world, by any caller of `screen`. */
export interface TypedKeys {
  /** the environment for the server; its `screen` records the keys that it should type */
  env: Record<string, string>;
  /** the calls that typed anything, in order; pass a slug to get those of one session */
  calls(slug?: string): string[];
  forget(): void;
}

/** Counts the keypresses that a server types. */
export function watchTypedKeys(world: World): TypedKeys {
  const bin = join(world.dir, 'counted');
  const log = join(world.dir, 'typed.log');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'screen');
  // The real program is found after this directory in PATH.
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
