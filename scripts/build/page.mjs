import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { ROOT } from '../root.mjs';

/** The smallest file worth compressing. A smaller file hardly shrinks, and takes one packet either way. */
const MIN_COMPRESSED_BYTES = 1024;
/** Quality 11 takes three times as long and saves only 3 %. */
const BROTLI_QUALITY = 9;

/**
 * The oldest browsers that support what the page uses (`color-mix`, `Intl.Segmenter`); docs/GALLERY.md names them.
 */
export const OLDEST_BROWSERS = ['chrome111', 'firefox125', 'safari16.4'];

/** The service worker must be at the root under a fixed name, because its address is its scope. */
const SERVICE_WORKER = 'service-worker';

/**
 * Lists in the page every script that it loads later.
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
 * Keeps the worker in one file. Browsers load it as a classic script, which cannot import.
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
 * @returns {string[]} those chunks and all chunks that they lead to
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
 * Builds the web page into a directory. Hashed files are under assets/, each also compressed. Files with a fixed name
 * (index.html, the service worker, the manifest, the icons) are at the top.
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
    // The worker has parts that are loaded when they are needed.
    worker: { format: 'es' },
    define: { __CBOS_VERSION__: JSON.stringify(manifest.version) },
    plugins: [listLateParts, keepWorkerWhole],
    build: {
      outDir: fresh,
      emptyOutDir: true,
      target: [...OLDEST_BROWSERS],
      // Nothing may be inlined in the page, because its policy forbids inline scripts and allows data: addresses only
      // for images.
      assetsInlineLimit: 0,
      // The page itself fetches its late parts before it imports one (src/web/connection/late-part.ts).
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
  // The directory is replaced as a whole, so that a server that starts at this moment finds either the old page or
  // the new one.
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
