import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT } from '../root.mjs';

/**
 * Returns what is wrong with the package that `npm publish` would create: `files`, `bin`, and formats, including
 * dist/.
 * @returns {Promise<string[]>} one line per complaint
 */
export async function packageComplaints() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { messages } = await publint({ pkgDir: ROOT, strict: true, pack: 'npm' });
  return messages.map((message) => `${message.type}: ${formatMessage(message, manifest, { color: false })}`);
}
