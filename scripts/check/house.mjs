import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../root.mjs';
import { sourceFiles } from './source-files.mjs';

/** The length from which a function should be split by what its parts are for, in lines. */
const MAX_FUNCTION_LINES = 60;

/**
 * Returns the lengths of the long functions that existed when this check began. The gate refuses additions, and rows
 * that are no longer needed, so the list only shrinks.
 * @param {string} root @returns {Record<string, number>}
 */
const knownLong = (root) =>
  JSON.parse(readFileSync(join(root, 'scripts', 'check', 'house.json'), 'utf8')).longFunctions;

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)';/gm;

/** @typedef {{ file: string, text: string }} Source */

/** @param {string} root @returns {Source[]} the TypeScript files of the product */
export const productSources = (root) =>
  sourceFiles(root)
    .filter((file) => /^src\/.*\.tsx?$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** Returns what makes the house harder to change than it was. @param {string} [root] @returns {string[]} */
export function houseComplaints(root = ROOT) {
  const sources = productSources(root);
  return [...pairComplaints(mutualPairs(sources)), ...lengthComplaints(longFunctionsIn(sources), knownLong(root))];
}

/** @param {readonly string[]} pairs @returns {string[]} */
export const pairComplaints = (pairs) =>
  pairs.map((pair) => `${pair}: these folders import each other: move what both need into one of them, or pass it in`);

/**
 * @param {Readonly<Record<string, number>>} found the length of each long function
 * @param {Readonly<Record<string, number>>} allowed
 * @returns {string[]}
 */
export function lengthComplaints(found, allowed) {
  return [
    ...Object.entries(found)
      .filter(([name, lines]) => lines > (allowed[name] ?? MAX_FUNCTION_LINES))
      .map(
        ([name, lines]) =>
          `${name} has ${lines} lines; ${allowed[name] ?? MAX_FUNCTION_LINES} is the limit: split it by what its parts are for`,
      ),
    ...Object.keys(allowed)
      .filter((name) => found[name] === undefined)
      .map(
        (name) =>
          `${name} is no longer longer than ${MAX_FUNCTION_LINES} lines: remove it from scripts/check/house.json`,
      ),
  ];
}

/**
 * Returns the folders of one room that import each other, as `src/server/json ↔ src/server/screen`. Files directly in a
 * room are its entry points, which may import every folder and be imported for their types.
 * @param {readonly Source[]} sources
 */
export function mutualPairs(sources) {
  const arrows = new Set(sources.flatMap(arrowsOf));
  return [...arrows]
    .flatMap((arrow) => {
      const [from = '', to = ''] = arrow.split(' ');
      return from < to && arrows.has(`${to} ${from}`) ? [`${from} ↔ ${to}`] : [];
    })
    .sort();
}

/** @param {Source} source */
function arrowsOf({ file, text }) {
  const from = folderOf(file);
  return [...text.matchAll(IMPORT)].flatMap(([, path = '']) => {
    const to = folderOf(normalize(join(dirname(file), path)));
    return from === null || to === null || from === to ? [] : [`${from} ${to}`];
  });
}

/** Returns `src/ROOM/FOLDER`, or null for a file directly in a room. @param {string} file */
function folderOf(file) {
  const parts = dirname(file).split('/');
  return parts.length < 3 ? null : parts.slice(0, 3).join('/');
}

/** Returns the length of each function that is too long. @param {readonly Source[]} sources */
export function longFunctionsIn(sources) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const { file, text } of sources) {
    if (text.split('\n').length <= MAX_FUNCTION_LINES) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    /** @param {ts.Node} node @param {ts.Node} parent */
    const visit = (node, parent) => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        const lines = lineOf(source, node.end) - lineOf(source, node.getStart(source)) + 1;
        if (lines > MAX_FUNCTION_LINES) found[`${file} ${nameOf(node, parent, source)}`] = lines;
      }
      ts.forEachChild(node, (child) => visit(child, node));
    };
    visit(source, source);
  }
  return found;
}

/** @param {ts.SourceFile} source @param {number} position */
const lineOf = (source, position) => source.getLineAndCharacterOfPosition(position).line;

/** @param {ts.SignatureDeclaration} node @param {ts.Node} parent @param {ts.SourceFile} source */
function nameOf(node, parent, source) {
  const name = node.name ?? ('name' in parent ? /** @type {ts.Node} */ (parent.name) : undefined);
  return name?.getText(source) ?? 'without a name';
}
