import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { serveFrom } from '../build/served-directory.mjs';
import { ROOT } from '../root.mjs';
import { brokenLinks } from './broken-links.mjs';
import { EXTRA_FILES } from './pages.mjs';

/** VitePress's own list of pages, which it reads only during the build. */
const LEFT_BEHIND = 'hashmap.json';

/**
 * Builds the documentation site into a directory.
 * @param {{ output: string }} options an absolute directory
 * @throws if a page links to a page, a heading, a picture or a script that does not exist on the site
 */
export async function buildSite({ output }) {
  const fresh = `${output}.new`;
  rmSync(fresh, { recursive: true, force: true });
  await build(join(ROOT, 'scripts', 'docs'), { outDir: fresh });
  rmSync(join(fresh, LEFT_BEHIND));
  for (const [name, source] of Object.entries(EXTRA_FILES)) copyFileSync(join(ROOT, source), join(fresh, name));
  // The site's scripts are ES modules, but dist/package.json says that scripts below it are not.
  writeFileSync(join(fresh, 'package.json'), '{ "type": "module" }\n');
  const broken = brokenLinks(fresh);
  if (broken.length > 0) throw new Error(broken.join('\n'));
  await serveFrom({ fresh, output });
}
