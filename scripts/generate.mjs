// npm run generate: writes the files that are generated from the sources.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_FILES } from './generate/generated-files.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';

if ((await passThrough(tool('tsc'), ['-b', 'src/server'])) !== 0) process.exit(1);
for (const { file, render } of GENERATED_FILES) {
  writeFileSync(join(ROOT, file), await render());
  process.stdout.write(`wrote ${file}\n`);
}
