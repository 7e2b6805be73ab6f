import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { COMMAND_MODULES } from '../../src/cli/command-modules.ts';

const START = resolve(import.meta.dirname, '../../dist/cbos.js');
const PARTS = join(dirname(START), 'parts');

/** Returns the part that the started file loads. */
function programPart(): string {
  const [, name = ''] = /loadPart\("([^"]+)"\)/.exec(readFileSync(START, 'utf8')) ?? [];
  return join(PARTS, name);
}

/** Returns every file that Node reads before a file runs: the file and its requires by name, recursively. */
function readWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const from of importsOf(file)) if (from.startsWith('.')) readWith(join(dirname(file), from), seen);
  return seen;
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/^(?:\(function \([\w, ]+\) \{)?(?:(?:const|let) \w+ = )?require\("([^"]+)"\);$/gm)].map(
    ([, from]) => from ?? '',
  );
}

/** Returns the source files that a built file contains, according to its source map. */
function sourcesOf(file: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] };
  return sources.map((source) => resolve(dirname(file), source));
}

/** Returns the part that is loaded late for a module. @param files the parts to search for the place that loads it */
function latePart(name: string, files: Iterable<string>): string {
  for (const file of files) {
    const found = new RegExp(`require\\("(\\./${name}-[\\w-]+\\.js)"\\)`).exec(readFileSync(file, 'utf8'))?.[1];
    if (found !== undefined) return join(dirname(file), found);
  }
  throw new Error(`no part of the build is loaded for ${name}`);
}

/** Returns the files that Node reads for a command that needs the parser. @param name the module that declares it */
function readForCommand(name: string): string[] {
  const files = readWith(programPart());
  for (const part of ['parser', name]) readWith(latePart(part, files), files);
  return [...files];
}

/** `npm test` builds first, but a run of this file alone may not have a build. */
describe.skipIf(!existsSync(START))('what a command loads when it starts', () => {
  const commands: [string, () => Iterable<string>][] = [
    ['a plain command line', () => readWith(programPart())],
    ...['listing', 'showing', 'talking', 'completion'].map((name): [string, () => string[]] => [
      name,
      () => readForCommand(name),
    ]),
  ];
  test.each(commands)('%s: no schema, no database, no WebSocket, no server and no terminal UI', (_, filesOf) => {
    const files = [...filesOf()];
    const outside = files.flatMap(importsOf).filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
    expect(outside).toEqual([]);
    const sources = files.filter((file) => existsSync(`${file}.map`)).flatMap(sourcesOf);
    expect(sources.some((source) => source.endsWith('/src/cli/run-cli.ts'))).toBe(true);
    expect(
      sources.filter((source) => /\/node_modules\/(zod|ws|smol-toml)\/|\/src\/(server|tui|demo)\//.test(source)),
    ).toEqual([]);
  });

  test('no part uses import, which would need an experimental feature of Node that warns', () => {
    const files = readdirSync(PARTS).filter((name) => name.endsWith('.js'));
    expect(files.filter((name) => /[^.\w]import\(/.test(readFileSync(join(PARTS, name), 'utf8')))).toEqual([]);
  });

  test('a plain command line needs few files, which contain its actions but no parser', () => {
    const files = [...readWith(programPart())];
    expect(files.length).toBeLessThanOrEqual(3);
    const sources = files.filter((file) => existsSync(`${file}.map`)).flatMap(sourcesOf);
    expect(sources.some((source) => source.endsWith('/src/cli/actions/list-sessions.ts'))).toBe(true);
    expect(sources.filter((source) => /\/commander\/|\/src\/cli\/commands\//.test(source))).toEqual([]);
  });

  test('all of it is kept compiled, and this Node accepts the code', () => {
    for (const file of commands.flatMap(([, filesOf]) => [...filesOf()])) {
      const script = new Script(readFileSync(file, 'latin1'), {
        filename: file,
        cachedData: readFileSync(`${file}.code`),
      });
      expect(script.cachedDataRejected, file).toBe(false);
    }
  });

  test('code that is missing, or was made by another Node, is compiled again', () => {
    const copy = mkdtempSync(join(tmpdir(), 'cbos-start-'));
    try {
      cpSync(dirname(START), copy, { recursive: true });
      const version = (): unknown =>
        spawnSync(process.execPath, [join(copy, 'cbos.js'), '--version'], { encoding: 'utf8', env: {} });
      const kept = join(copy, 'parts', `${basename(programPart())}.code`);
      const good = version();
      expect(good).toMatchObject({ status: 0, stderr: '' });
      const code = readFileSync(kept);
      code.fill(1, 0, 64); // the head, which contains the version of V8
      writeFileSync(kept, code);
      expect(version()).toMatchObject({ status: 0, stderr: '' });
      rmSync(kept);
      expect(version()).toMatchObject({ status: 0, stderr: '' });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

test('no two modules have a command of the same name', () => {
  const names = COMMAND_MODULES.flatMap((one) => one.names);
  expect(new Set(names).size).toBe(names.length);
});
