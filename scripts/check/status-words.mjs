import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { sourceFiles } from './source-files.mjs';

/** The table of the details, and the rules that derive a detail from evidence. */
const OWNERS = /^src\/(?:core\/status\/|protocol\/status-words\.ts$)/;

/**
 * The ways to decide something by the name of a detail. If one is forgotten when a detail is added, no compiler finds
 * it. Kinds of questions have some of the same names, but are never called `detail`.
 */
const DECISIONS = [
  /\bdetail\)?\s*[!=]==?\s*['"`]/,
  /['"`]\s*[!=]==?\s*(?:\w+\??\.)*detail\b/,
  /\bdetail: ['"`][a-z_]+['"`]/,
  /\bswitch \((?:\w+\??\.)*detail\)/,
  /\.(?:includes|has|get)\((?:\w+\??\.)*detail\)/,
  /(?<!\bDETAILS)(?<=\w)\[(?:\w+\??\.)*detail\]/,
  /\b(?:Record|Map|Set)<(?:Detail\b|\w+\['detail'\])/,
];

/**
 * Returns the places in `src/` that decide something by the name of a detail instead of asking the table.
 * @param {string} [root]
 * @returns {string[]} one line per place
 */
export function statusWordComplaints(root = ROOT) {
  return sourceFiles(root)
    .filter((file) => file.startsWith('src/') && !OWNERS.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => decisionsIn(line, `${file}:${index + 1}`)),
    );
}

/** @param {string} text @param {string} place @returns {string[]} */
export function decisionsIn(text, place) {
  return DECISIONS.some((one) => one.test(text))
    ? [`${place}: decides by the name of a detail: add a column to src/protocol/status-words.ts, and read it by rowOf`]
    : [];
}
