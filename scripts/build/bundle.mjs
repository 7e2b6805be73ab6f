import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../root.mjs';

/**
 * Bundles one entry into one executable ES module with a source map beside it. Only the packages under `dependencies` in
 * package.json stay outside (they carry native code or worker files); all others are development dependencies and go in.
 *
 * One file on purpose: a server that has been running since before an update never looks for a chunk that the
 * update removed. Modules behind `await import()` are still evaluated only when asked for.
 * @param {{ entry: string, output: string }} options absolute paths
 */
export async function bundle({ entry, output }) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const external = Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`));
  const build = await rolldown({
    input: entry,
    cwd: ROOT,
    platform: 'node',
    external,
    transform: { define: { __CBOS_VERSION__: JSON.stringify(manifest.version) } },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  try {
    const { output: chunks } = await build.generate({
      format: 'esm',
      sourcemap: true,
      codeSplitting: false,
      banner: '#!/usr/bin/env node',
      entryFileNames: basename(output),
    });
    mkdirSync(dirname(output), { recursive: true });
    for (const chunk of chunks) {
      const content = chunk.type === 'chunk' ? chunk.code : chunk.source;
      replaceFile(join(dirname(output), chunk.fileName), content);
    }
    chmodSync(output, 0o755);
  } finally {
    await build.close();
  }
}

/** By rename, so that a `cbos` that starts at this moment reads the old file or the new one. @param {string} file @param {string | Uint8Array} content */
function replaceFile(file, content) {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o755 });
  renameSync(temporary, file);
}
