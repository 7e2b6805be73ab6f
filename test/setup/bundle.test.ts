import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../scripts/build/bundle.mjs';
import { ROOT } from '../../scripts/root.mjs';

/** Imports every package that is unusual to bundle: CommonJS, with `require` inside, both, or native. */
const ENTRY = `
import xterm from '@xterm/headless';
import { SerializeAddon } from '@xterm/addon-serialize';
import { WebSocketServer } from 'ws';
import { Command } from 'commander';
import { DatabaseSync } from '@photostructure/sqlite';
import { pino } from 'pino';
declare const __CBOS_VERSION__: string;

const terminal = new xterm.Terminal({ cols: 20, rows: 2, allowProposedApi: true });
const serializer = new SerializeAddon();
terminal.loadAddon(serializer as never);
const database = new DatabaseSync(':memory:');
const late = import('smol-toml');
terminal.write('hello', async () => {
  console.log(JSON.stringify({
    version: __CBOS_VERSION__,
    screen: serializer.serialize(),
    server: typeof WebSocketServer,
    command: new Command('x').name(),
    rows: database.prepare('select 1 as one').all(),
    toml: (await late).parse('a = 1'),
    log: typeof pino,
  }));
});
`;

let dir: string;
let output: string;

beforeAll(async () => {
  // The directory is inside the checkout, so that packages outside the bundle are found.
  dir = mkdtempSync(join(ROOT, 'node_modules', '.bundle-test-'));
  const entry = join(dir, 'entry.ts');
  writeFileSync(entry, ENTRY);
  // The output is in a different folder from the entry, because the build marks the output folder as CommonJS.
  output = join(dir, 'dist', 'out.js');
  await bundle({ entry, output });
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('plain node runs it, including CommonJS and native parts', () => {
  const { stdout, stderr } = spawnSync(output, { encoding: 'utf8', env: { PATH: process.env.PATH ?? '' } });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
    screen: 'hello',
    server: 'function',
    command: 'x',
    rows: [{ one: 1 }],
    toml: { a: 1 },
    log: 'function',
  });
});

test('it is an executable file with a source map', () => {
  expect(readFileSync(output, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
  expect(statSync(output).mode & 0o111).not.toBe(0);
  const maps = readdirSync(join(dir, 'dist', 'parts')).filter((name) => name.endsWith('.map'));
  const sources = maps.flatMap(
    (name) => JSON.parse(readFileSync(join(dir, 'dist', 'parts', name), 'utf8')).sources as string[],
  );
  expect(sources.length).toBeGreaterThan(10);
});

test('late imports are separate parts, and parts of earlier builds are removed', async () => {
  const parts = readdirSync(join(dir, 'dist', 'parts')).filter((name) => name.endsWith('.js'));
  expect(
    parts.filter((name) => readFileSync(join(dir, 'dist', 'parts', name), 'utf8').includes('TomlError')),
  ).toHaveLength(1);
  writeFileSync(join(dir, 'dist', 'parts', 'old-1.js'), '');
  await bundle({ entry: join(dir, 'entry.ts'), output });
  expect(readdirSync(join(dir, 'dist', 'parts')).filter((name) => name.endsWith('.js'))).toEqual(parts);
});

test('only the dependencies of the package stay outside', () => {
  const files = [output, ...readdirSync(join(dir, 'dist', 'parts')).map((name) => join(dir, 'dist', 'parts', name))];
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\w+ \w+ = require\("([^"]+)"\);$/gm)].map(([, from]) => from ?? ''),
  );
  const packages = imports.filter((from) => !from.startsWith('node:') && !from.startsWith('.')).sort();
  expect(packages).toEqual(['@photostructure/sqlite', 'pino']);
});
