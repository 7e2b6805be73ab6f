import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { ROOT } from '../root.mjs';

/** Below that a compressed file is hardly smaller, and one packet either way. */
const MIN_COMPRESSED_BYTES = 1024;
/** 11 takes three times as long for 3 % less. */
const BROTLI_QUALITY = 9;

/** The service worker must stand at the root under a fixed name: its address is its scope. */
const SERVICE_WORKER = 'service-worker';

/**
 * Builds the web page into a directory: hashed files under assets/, each also compressed, and what is asked for by a fixed name
 * (index.html, the service worker, the manifest, the icons) at the top.
 * @param {{ source: string, output: string }} options absolute directories
 */
export async function buildPage({ source, output }) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const fresh = `${output}.new`;
  await build({
    configFile: false,
    root: source,
    base: './',
    publicDir: join(source, 'public'),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // With parts of its own that are loaded when they are needed.
    worker: { format: 'es' },
    define: { __CBOS_VERSION__: JSON.stringify(manifest.version) },
    build: {
      outDir: fresh,
      emptyOutDir: true,
      target: 'es2022',
      // Nothing may stand in the page itself: its policy lets no inline script run, and data: addresses only for images.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        input: { index: join(source, 'index.html'), [SERVICE_WORKER]: join(source, 'service-worker.ts') },
        output: {
          entryFileNames: (chunk) =>
            chunk.name === SERVICE_WORKER ? `${SERVICE_WORKER}.js` : 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
        },
      },
    },
  });
  await Promise.all(textFiles(fresh).map(compress));
  // As a whole, so that a server that starts at this moment finds one page or the other.
  mkdirSync(dirname(output), { recursive: true });
  rmSync(`${output}.old`, { recursive: true, force: true });
  moveAside(output, `${output}.old`);
  renameSync(fresh, output);
  rmSync(`${output}.old`, { recursive: true, force: true });
}

/** @param {string} from @param {string} to */
function moveAside(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
  }
}

/** @param {string} dir @returns {string[]} absolute paths */
function textFiles(dir) {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => ['.js', '.css', '.html', '.svg', '.webmanifest'].includes(extname(name)))
    .map((name) => join(dir, name));
}

/** @param {string} file */
async function compress(file) {
  const content = readFileSync(file);
  if (content.length < MIN_COMPRESSED_BYTES) return;
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
  writeFileSync(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, brotliOptions));
}
