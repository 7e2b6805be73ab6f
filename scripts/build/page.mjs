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

/** The oldest that know what the page uses (`color-mix`, `Intl.Segmenter`); docs/GALLERY.md names them. */
export const OLDEST_BROWSERS = ['chrome111', 'firefox125', 'safari16.4'];

/** The service worker must stand at the root under a fixed name: its address is its scope. */
const SERVICE_WORKER = 'service-worker';

/**
 * Names in the page every script that it loads later than itself.
 * @type {import('vite').Plugin}
 */
const listLateParts = {
  name: 'cbos:late-parts',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle, chunk }) => {
      if (bundle === undefined || chunk === undefined) return [];
      const early = reach([chunk.fileName], (found) => found.imports, bundle);
      const all = reach([chunk.fileName], (found) => [...found.imports, ...found.dynamicImports], bundle);
      const late = all.filter((name) => !early.includes(name)).map((name) => `./${name}`);
      return [{ tag: 'meta', attrs: { name: 'late-parts', content: late.join(' ') }, injectTo: 'head' }];
    },
  },
};

/**
 * The worker stands alone: browsers take it as a plain script, and one with an import is none.
 * @type {import('vite').Plugin}
 */
const keepWorkerWhole = {
  name: 'cbos:whole-worker',
  generateBundle(_options, bundle) {
    const worker = bundle[`${SERVICE_WORKER}.js`];
    if (worker?.type === 'chunk' && worker.imports.length > 0) {
      this.error(`the service worker shares ${worker.imports.join(', ')} with the page`);
    }
  },
};

/**
 * @param {string[]} from names of chunks
 * @param {(chunk: import('vite').Rolldown.OutputChunk) => readonly string[]} next
 * @param {import('vite').Rolldown.OutputBundle} bundle
 * @returns {string[]} those and all that they lead to
 */
function reach(from, next, bundle) {
  const found = new Set(from);
  for (const name of found) {
    const file = bundle[name];
    if (file?.type === 'chunk') for (const other of next(file)) found.add(other);
  }
  return [...found];
}

/**
 * Builds the web page into a directory: hashed files under assets/, each also compressed, and what is asked for by a
 * fixed name (index.html, the service worker, the manifest, the icons) at the top.
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
    plugins: [listLateParts, keepWorkerWhole],
    build: {
      outDir: fresh,
      emptyOutDir: true,
      target: [...OLDEST_BROWSERS],
      // Nothing may stand in the page itself: its policy lets no inline script run, and data: addresses only for
      // images.
      assetsInlineLimit: 0,
      // The page fetches its late parts by itself before it imports one (src/web/connection/late-part.ts).
      modulePreload: false,
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
