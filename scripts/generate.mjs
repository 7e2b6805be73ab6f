// npm run generate: writes the files that are generated from the sources.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './root.mjs';
import { passThrough, tsc } from './run-command.mjs';

if ((await passThrough(tsc(), ['-b', 'src/server', 'src/cli'])) !== 0) process.exit(1);
// Load this after the compiler has run, because it reads the compiler's output.
const { generatedFiles, leftManPages } = await import('./generate/generated-files.mjs');
const generated = await generatedFiles();
for (const { file, content } of generated) {
  mkdirSync(dirname(join(ROOT, file)), { recursive: true });
  writeFileSync(join(ROOT, file), content);
}
for (const file of leftManPages(generated)) rmSync(join(ROOT, file));
process.stdout.write(`wrote ${generated.length} files: docs/, man/\n`);
