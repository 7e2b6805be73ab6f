import { createViteServer } from 'vitest/node';
import { ROOT } from './root.mjs';

/** Loads TypeScript on every Node that CBOS supports, as the tests do. Close it when done. */
export function openLoader() {
  return createViteServer({
    root: ROOT,
    configFile: false,
    server: { middlewareMode: true, watch: null, ws: false },
    appType: 'custom',
    oxc: { target: 'node20' },
    // CommonJS, which only Node itself loads
    ssr: { external: ['@xterm/headless', '@xterm/addon-serialize'] },
    logLevel: 'error',
  });
}
