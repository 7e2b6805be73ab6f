import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MOVED } from './moved.ts';
import type { Trace } from './terminal-stage.ts';

const inTests = (name: string): URL => new URL(`../${name}`, import.meta.url);
const source = (file: string): string => readFileSync(inTests(file), 'utf8');

/** The recorded scenes, each with the scenes of the model's stand-in that its requests played. */
function recordedScenes(): Map<string, ReadonlySet<string>> {
  const folder = new URL('traces/', import.meta.url);
  return new Map(
    readdirSync(folder).flatMap((file) => {
      const traces = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Record<string, Trace | string[]>;
      return Object.entries(traces).map(([name, trace]) => {
        const said = Array.isArray(trace) ? trace : trace.requests;
        const played = said.flatMap((line) => [
          ...(/^([a-z-]+) \d+:/.exec(line)?.slice(1) ?? []),
          ...[...line.matchAll(/\bscene:([a-z-]+)/g)].flatMap(([, scene]) => scene ?? []),
        ]);
        return [Array.isArray(trace) ? `json ${name}` : name, new Set(played)] as const;
      });
    }),
  );
}

const RECORDED = recordedScenes();

test('every file that runs the stand-in is in the list, and no other file', () => {
  const folders = readdirSync(inTests('.'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.flatMap(({ name }) =>
    readdirSync(inTests(name))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${name}/${file}`),
  );
  const running = files.filter(
    (file) =>
      !file.startsWith('contract/') &&
      /agent: 'stand-in'|\bSTAND_IN\b[^;]* from '..\/harness\/claude.ts'/.test(source(file)),
  );
  expect(running.sort()).toEqual(Object.keys(MOVED).sort());
});

test.each(Object.entries(MOVED))('%s plays only scenes that the contract covers', (file, scenes) => {
  expect(scenes.filter((name) => !RECORDED.has(name))).toEqual([]);
  const covered = new Set(scenes.flatMap((name) => [...(RECORDED.get(name) ?? [])]));
  const named = new Set([...source(file).matchAll(/\bscene:([a-z-]+)/g)].flatMap(([, scene]) => scene ?? []));
  const own = new Set([...source(file).matchAll(/\bname: '([a-z-]+)'/g)].flatMap(([, scene]) => scene ?? []));
  expect([...named].filter((scene) => !covered.has(scene) && !own.has(scene))).toEqual([]);
});
