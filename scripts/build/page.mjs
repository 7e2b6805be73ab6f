import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { ROOT } from '../root.mjs';
import { serveFrom } from './served-directory.mjs';

/**
 * The oldest browsers that support the features that the page uses, such as `color-mix` and `Intl.Segmenter`.
 * docs/GALLERY.md lists them.
 */
export const OLDEST_BROWSERS = ['chrome111', 'firefox125', 'safari16.4'];

/** The service worker must be at the root and have a fixed name, because its address is its scope. */
const SERVICE_WORKER = 'service-worker';

/**
 * Adds a list of all scripts that the page loads later to the page.
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
 * Bundles the worker into a single file. Browsers load it as a classic script, which cannot import other scripts.
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
 * @param {string[]} from the names of chunks
 * @param {(chunk: import('vite').Rolldown.OutputChunk) => readonly string[]} next
 * @param {import('vite').Rolldown.OutputBundle} bundle
 * @returns {string[]} these chunks and all chunks that can be reached from them
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
 * Builds the web page into a directory. Files with hashed names are under assets/, where each file also has a
 * compressed copy. Files with fixed names (index.html, the service worker, the manifest, the icons) are at the top
 * level.
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
    // The worker loads some of its parts on demand.
    worker: { format: 'es' },
    define: { __CBOS_VERSION__: JSON.stringify(manifest.version) },
    plugins: [listLateParts, keepWorkerWhole],
    build: {
      outDir: fresh,
      emptyOutDir: true,
      target: [...OLDEST_BROWSERS],
      // Do not inline anything into the page, because the page's security policy forbids inline scripts and allows
      // data: addresses only for images.
      assetsInlineLimit: 0,
      // The page itself fetches all of its late parts before it imports any of them (src/web/connection/late-part.ts).
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
  await serveFrom({ fresh, output });
}
