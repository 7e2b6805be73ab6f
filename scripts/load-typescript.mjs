import { createViteServer } from 'vitest/node';
import { ROOT } from './root.mjs';

/** Opens a TypeScript loader that works on every Node that CBOS supports, as in the tests. Close it when done. */
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
