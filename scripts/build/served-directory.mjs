import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * The minimum size of a file that is worth compressing. A smaller file hardly shrinks, and fits into one packet either
 * way.
 */
const MIN_COMPRESSED_BYTES = 1024;
/** Quality 11 would take three times as long, but save only 3 %. */
const BROTLI_QUALITY = 9;

const TEXTS = ['.js', '.css', '.html', '.svg', '.json', '.webmanifest'];

/**
 * Replaces a directory of files for browsers with a newly built one. Each text file is also stored in compressed form.
 * The directory is replaced as a whole, so that a server that starts at this moment finds either the old files or the
 * new ones.
 * @param {{ fresh: string, output: string }} options absolute directories
 */
export async function serveFrom({ fresh, output }) {
  await Promise.all(textFiles(fresh).map(compress));
  mkdirSync(dirname(output), { recursive: true });
  rmSync(`${output}.old`, { recursive: true, force: true });
  moveAside(output, `${output}.old`);
  renameSync(fresh, output);
  rmSync(`${output}.old`, { recursive: true, force: true });
}

/** @param {string} from @param {string} to */
function moveAside(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
  }
}

/** @param {string} dir @returns {string[]} absolute paths */
function textFiles(dir) {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => TEXTS.includes(extname(name)))
    .map((name) => join(dir, name));
}

/** @param {string} file */
async function compress(file) {
  const content = readFileSync(file);
  if (content.length < MIN_COMPRESSED_BYTES) return;
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
  writeFileSync(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, brotliOptions));
}
