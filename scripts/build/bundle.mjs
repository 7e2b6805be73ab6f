import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../root.mjs';

/** The directory, beside the program, of the parts that are loaded only when they are needed. */
const PARTS = 'parts';
const PROGRAM = 'program';
/** The file that every command loads. Loading forty small files instead would cost Node 20 a millisecond each. */
const BASE = 'base';
const BASE_FILES = [
  /\/src\/cli\/(output\/)?[\w-]+\.ts$/,
  /\/src\/(client|text|core\/settings|platform\/settings)\/[\w-]+\.ts$/,
  /\/src\/protocol\/(errors\/)?[\w-]+\.ts$/,
  /\/src\/(emitter\/emitter|cli\/commands\/command-help|cli\/commands\/option-values|core\/status\/thresholds)\.ts$/,
  /\/src\/platform\/(files\/(regular-file|private-directory)|sqlite\/home-fault|gnu-screen\/attach-command)\.ts$/,
  /\/commander\//,
];
/**
 * Files that only some commands need: schemas, which take longer than everything else together, WebSockets, and files
 * that need more modules of Node.
 */
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
 * Bundles one entry into an executable ES module, and everything that it imports by `await import()` into parts
 * beside it. `cbos ls` then starts without reading the server. Only the packages under `dependencies` in package.json
 * stay outside, because they carry native code or worker files. All others are development dependencies and are
 * bundled.
 *
 * A part is loaded right after the start or not at all, so a server that started before an update never looks for a
 * part that the update removed. Threads are separate programs among the parts, under their own names.
 * @param {{ entry: string, threads?: Record<string, string>, output: string }} options absolute paths
 */
export async function bundle({ entry, threads = {}, output }) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const external = Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`));
  const build = await rolldown({
    input: { [PROGRAM]: entry, ...threads },
    cwd: ROOT,
    platform: 'node',
    // The program exports nothing, and groups of modules may add exports to it.
    preserveEntrySignatures: false,
    external,
    transform: { define: { __CBOS_VERSION__: JSON.stringify(manifest.version) } },
    // Our modules start nothing when they are imported, so unused parts of a module are not loaded with it.
    treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  try {
    const { output: chunks } = await build.generate({
      format: 'esm',
      sourcemap: true,
      // Node reads the whole file, including comments.
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
    // The program is written last, because it must never refer to a missing part.
    for (const chunk of [...parts, ...program]) {
      const content = chunk.type === 'chunk' ? chunk.code : chunk.source;
      replaceFile(join(directory, chunk.fileName), content);
    }
    removeOthers(join(directory, PARTS), new Set(chunks.map((chunk) => basename(chunk.fileName))));
  } finally {
    await build.close();
  }
}

/** Removes the parts of earlier builds. @param {string} directory @param {Set<string>} kept */
function removeOthers(directory, kept) {
  for (const name of readdirSync(directory)) if (!kept.has(name)) rmSync(join(directory, name));
}

/**
 * Replaces a file by renaming, so that a `cbos` that starts at this moment reads either the old file or the new one.
 * @param {string} file @param {string | Uint8Array} content
 */
function replaceFile(file, content) {
  const temporary = `${file}.${process.pid}.tmp`;
  // The mode is set from the start, because somebody who starts the program at this moment must be able to execute
  // it.
  writeFileSync(temporary, content, { mode: 0o755 });
  renameSync(temporary, file);
}
