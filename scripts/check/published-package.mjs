import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT } from '../root.mjs';

/**
 * Returns what is wrong with the package that `npm publish` would create: with `files`, `bin`, or module formats,
 * including those in dist/.
 * @returns {Promise<string[]>} one line per complaint
 */
export async function packageComplaints() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { messages } = await publint({ pkgDir: ROOT, strict: true, pack: 'npm' });
  // Skip the page's scripts: they are for browsers, which never read a package.json.
  const isForBrowsers = (/** @type {string} */ path) => path.startsWith('/dist/web/');
  const complaints = messages.filter(
    ({ code, args }) => !(code === 'FILE_INVALID_FORMAT' && isForBrowsers(args.actualFilePath ?? '')),
  );
  return complaints.map((message) => `${message.type}: ${formatMessage(message, manifest, { color: false })}`);
}
