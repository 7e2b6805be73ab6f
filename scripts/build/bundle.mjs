import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../root.mjs';

/** Where the parts go that are loaded only when asked for, beside the program. */
const PARTS = 'parts';
const PROGRAM = 'program';
/** What every command loads, in one file: of forty small ones each costs Node 20 a millisecond. */
const BASE = 'base';
const BASE_FILES = [
  /\/src\/cli\/(output\/)?[\w-]+\.ts$/,
  /\/src\/(client|text|core\/settings|platform\/settings)\/[\w-]+\.ts$/,
  /\/src\/protocol\/(errors\/)?[\w-]+\.ts$/,
  /\/src\/(emitter\/emitter|cli\/commands\/command-help|cli\/commands\/option-values|core\/status\/thresholds)\.ts$/,
  /\/src\/platform\/(files\/(regular-file|private-directory)|sqlite\/home-fault|gnu-screen\/attach-command)\.ts$/,
  /\/commander\//,
];
/** For some: schemas, which take longer than all of the rest, WebSockets, and what needs more modules of Node. */
const LATE_FILES =
  /\/(resolve-by-schema|connect-locally|jq-filter|new-file|confirm|broadcast|offer-recent|replay-terminal|turn-printer)\.ts$/;
const LATE_IMPORTS = /from '(zod|ws)'/;

/** @param {string} id */
function isBase(id) {
  return (
    BASE_FILES.some((file) => file.test(id)) && !LATE_FILES.test(id) && !LATE_IMPORTS.test(readFileSync(id, 'utf8'))
  );
}

/**
 * Bundles one entry into an executable ES module, and what it imports by `await import()` into parts beside it: `cbos
 * ls` then starts without reading the server. Only the packages under `dependencies` in package.json stay outside (they
 * carry native code or worker files); all others are development dependencies and go in.
 *
 * A part is asked for right after the start or not at all, so a server that has been running since before an update
 * never looks for one that the update removed. Threads are programs of their own among the parts, under their names.
 * @param {{ entry: string, threads?: Record<string, string>, output: string }} options absolute paths
 */
export async function bundle({ entry, threads = {}, output }) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const external = Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`));
  const build = await rolldown({
    input: { [PROGRAM]: entry, ...threads },
    cwd: ROOT,
    platform: 'node',
    // the program exports nothing, and groups of modules may add to it
    preserveEntrySignatures: false,
    external,
    transform: { define: { __CBOS_VERSION__: JSON.stringify(manifest.version) } },
    // A module of ours starts nothing when it is imported: what nobody uses of one is not loaded with it.
    treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  try {
    const { output: chunks } = await build.generate({
      format: 'esm',
      sourcemap: true,
      // Node reads all of a file, also what is not run.
      comments: { jsdoc: false, annotation: true, legal: true },
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: BASE, test: isBase }] },
      chunkFileNames: `${PARTS}/[name]-[hash].js`,
      banner: (chunk) => (chunk.name === PROGRAM ? '#!/usr/bin/env node' : ''),
      entryFileNames: (chunk) => (chunk.name === PROGRAM ? basename(output) : `${PARTS}/[name].js`),
    });
    const directory = dirname(output);
    mkdirSync(join(directory, PARTS), { recursive: true });
    const parts = chunks.filter(({ fileName }) => fileName !== basename(output));
    const program = chunks.filter(({ fileName }) => fileName === basename(output));
    // The program last: it must never name a part that is not there.
    for (const chunk of [...parts, ...program]) {
      const content = chunk.type === 'chunk' ? chunk.code : chunk.source;
      replaceFile(join(directory, chunk.fileName), content);
    }
    removeOthers(join(directory, PARTS), new Set(chunks.map((chunk) => basename(chunk.fileName))));
  } finally {
    await build.close();
  }
}

/** Parts of builds before. @param {string} directory @param {Set<string>} kept */
function removeOthers(directory, kept) {
  for (const name of readdirSync(directory)) if (!kept.has(name)) rmSync(join(directory, name));
}

/**
 * By rename, so that a `cbos` that starts at this moment reads the old file or the new one. @param {string} file @param
 * {string | Uint8Array} content
 */
function replaceFile(file, content) {
  const temporary = `${file}.${process.pid}.tmp`;
  // from the first moment: whoever starts the program now must not find it without its right to run
  writeFileSync(temporary, content, { mode: 0o755 });
  renameSync(temporary, file);
}
