import { createViteServer } from 'vitest/node';
import { ROOT } from './root.mjs';

/**
 * Opens the TypeScript loader that the tests also use. It works with every version of Node that CBOS supports. The
 * caller must close it.
 */
export function openLoader() {
  return createViteServer({
    root: ROOT,
    configFile: false,
    server: { middlewareMode: true, watch: null, ws: false },
    appType: 'custom',
    oxc: { target: 'node20' },
    // These packages are CommonJS, so Node itself must load them.
    ssr: { external: ['@xterm/headless', '@xterm/addon-serialize'] },
    logLevel: 'error',
  });
}
