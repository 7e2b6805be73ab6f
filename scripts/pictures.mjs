// npm run pictures [-- NAME…]: takes the README's pictures (docs/pictures/) of the built program. They show the web
// page, light and dark, and the terminal UI.
import { join } from 'node:path';
import { openLoader } from './load-typescript.mjs';
import { ROOT } from './root.mjs';
import { passThrough } from './run-command.mjs';

if ((await passThrough(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--bundle-only'])) !== 0) process.exit(1);

const loader = await openLoader();
try {
  const { takePictures } = await loader.ssrLoadModule(join(ROOT, 'test', 'pictures', 'take-pictures.ts'));
  await takePictures({
    directory: join(ROOT, 'docs', 'pictures'),
    only: process.argv.slice(2),
    print: (/** @type {string} */ line) => process.stdout.write(`${line}\n`),
  });
} finally {
  await loader.close();
}
process.exit(0);
