import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_MODULES } from '../../src/cli/command-modules.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/cbos.js');

/** Everything that Node reads before a file runs: the file, and what it imports by name, on and on. */
function readWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const from of importsOf(file)) if (from.startsWith('.')) readWith(join(dirname(file), from), seen);
  return seen;
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/^(?:import|export)\b[^;'"]*?["']([^"']+)["'];?$/gm)].map(([, from]) => from ?? '');
}

/** The source files that lie in it, by the source map. */
function sourcesOf(file: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] };
  return sources.map((source) => resolve(dirname(file), source));
}

/** The part of the build that holds a module of commands. */
function partOf(name: string): string {
  const program = [...readWith(PROGRAM)];
  const texts = program.map((file) => [file, readFileSync(file, 'utf8')] as const);
  for (const [file, text] of texts) {
    const found = new RegExp(`import\\("(\\./(?:parts/)?${name}-[\\w-]+\\.js)"\\)`).exec(text)?.[1];
    if (found !== undefined) return join(dirname(file), found);
  }
  throw new Error(`no part of the build is loaded for ${name}`);
}

/** `npm test` builds before; a run of this file alone may not have. */
describe.skipIf(!existsSync(PROGRAM))('what a command loads when it starts', () => {
  const parts = ['listing', 'showing', 'talking', 'completion'];
  test.each(parts)('%s: no schema, no database, no WebSocket, no server and no terminal UI', (name) => {
    const files = [...new Set([...readWith(PROGRAM), ...readWith(partOf(name))])];
    const outside = files.flatMap(importsOf).filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
    expect(outside).toEqual([]);
    const sources = files.filter((file) => existsSync(`${file}.map`)).flatMap(sourcesOf);
    expect(sources.some((source) => source.endsWith('/src/cli/run-cli.ts'))).toBe(true);
    expect(
      sources.filter((source) => /\/node_modules\/(zod|ws|smol-toml)\/|\/src\/(server|tui|demo)\//.test(source)),
    ).toEqual([]);
  });

  test('it is few files: each costs a millisecond', () => {
    expect(readWith(PROGRAM).size).toBeLessThanOrEqual(4);
  });
});

test('no two modules have a command of one name', () => {
  const names = COMMAND_MODULES.flatMap((one) => one.names);
  expect(new Set(names).size).toBe(names.length);
});
