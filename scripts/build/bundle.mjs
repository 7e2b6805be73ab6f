import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../root.mjs';

/** The directory next to the program that contains the parts, which are loaded on demand. */
const PARTS = 'parts';
const PROGRAM = 'program';
const START = join(ROOT, 'src', 'start.ts');
/** An empty module. */
const NO_MODULE = '\0cbos:no-module';
/**
 * The modules that plain command lines use (`src/cli/plain-command.ts`), and that nearly every other command uses as
 * well. They are bundled into one file. Loading a file takes a tenth of a millisecond, and so do its exports.
 */
const BASE = 'base';
const BASE_FILES = [
  /\/src\/cli\/actions\/[\w-]+\.ts$/,
  /\/src\/cli\/output\/(printer|question-text|session-table|shown-lines|style|table)\.ts$/,
  /\/src\/cli\/(command-error|confirm|context|error-report|http-answer|list-reader|looked-at|name-like)\.ts$/,
  /\/src\/cli\/(plain-command|run-cli|selectors|socket-requests|text-argument|version-check|without-undefined)\.ts$/,
  /\/src\/client\/(caller|remote-errors|remote-names|transport)\.ts$/,
  /\/src\/local\/(git-branch|last-model|machine|personal-environment)\.ts$/,
  /\/src\/(core|platform)\/settings\/[\w-]+\.ts$/,
  /\/src\/core\/(budgets\/read-budgets|status\/thresholds)\.ts$/,
  /\/src\/protocol\/(errors\/)?[\w-]+\.ts$/,
  /\/src\/text\/(blocked|budget|changes|end|figure|group|limit|memory|pull-request|recording|resource|restore)-words\.ts$/,
  /\/src\/text\/(asker|form|hooks|missing|session|set-up|snooze|worktree)-words\.ts$/,
  /\/src\/text\/(delivery-text|display-width|durations|graphemes|hidden-marks|name-list|session-filter|shell-word|style)\.ts$/,
  /\/src\/text\/(terminal-text|tool-input-text)\.ts$/,
  /\/src\/emitter\/emitter\.ts$/,
  /\/src\/platform\/(files\/(private-directory|read-tail|regular-file)|git\/git-dir|claude\/own-files)\.ts$/,
  /\/src\/platform\/(gnu-screen\/attach-command|process\/start-fault|sqlite\/home-fault)\.ts$/,
];
/** The parser of all other command lines, and what every declaration of a command uses. */
const PARSER = 'parser';
const PARSER_FILES = [
  /\/src\/cli\/(command-modules|parsed-command|program|commands\/(command-help|option-values|selector-options))\.ts$/,
  /\/commander\/|cbos:no-module/,
];
/**
 * Modules that must not be among them: schemas take longer to load than everything else combined, and WebSockets need
 * additional Node modules.
 */
const LATE_IMPORTS = /from '(zod|ws)'/;
/** Files of routes consist of schemas, also those that import all of their schemas from other files. */
const LATE_FILES = /-routes\.ts$/;

/** @param {string} id */
function isBase(id) {
  if (!BASE_FILES.some((file) => file.test(id)) || LATE_FILES.test(id)) return false;
  return !LATE_IMPORTS.test(readFileSync(id, 'utf8'));
}

const GROUPS = [
  { name: BASE, test: isBase },
  { name: PARSER, test: (/** @type {string} */ id) => PARSER_FILES.some((file) => file.test(id)) },
];

/**
 * Commander loads Node's child_process module in order to run subcommands that are separate programs. CBOS has no such
 * subcommands, and loading the module takes a millisecond.
 * @type {import('rolldown').Plugin}
 */
const withoutSubprograms = {
  name: 'cbos:without-subprograms',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('/commander/') === true ? NO_MODULE : null,
  load: (id) => (id === NO_MODULE ? 'module.exports = {};' : null),
};

/**
 * Bundles one entry into parts. The file that users run is written next to the parts folder, and loads the parts
 * (`src/start.ts`). Everything that the entry imports by `await import()` becomes a separate part, so that `cbos ls`
 * starts without reading the server's code. Only the packages under `dependencies` in package.json are not bundled,
 * because they contain native code or worker files. All other packages are development dependencies and are bundled.
 *
 * All parts are CommonJS, because their compiled code can be stored (see `keep-code.mjs`), and Node starts them 5 ms
 * sooner.
 *
 * A part is loaded right after startup or not at all, so a server that was started before an update never needs a part
 * that the update has removed. Threads are separate programs among the parts, with names of their own.
 * @param {{ entry: string, threads?: Record<string, string>, output: string }} options absolute paths
 */
export async function bundle({ entry, threads = {}, output }) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const external = Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`));
  const parts = await generate({
    input: { [PROGRAM]: entry, ...threads },
    // Nothing imports the program, so groups of modules may add exports to it.
    preserveEntrySignatures: false,
    external,
    plugins: [withoutSubprograms],
    transform: { define: { __CBOS_VERSION__: JSON.stringify(manifest.version) } },
    // Importing our modules has no side effects, so unused parts of a module need not be loaded.
    treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
    output: {
      codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS },
      chunkFileNames: '[name]-[hash].js',
      entryFileNames: '[name]-[hash].js',
    },
  });
  requireNoPart(parts);
  /** @param {string} name @param {string} from the path of the parts folder, relative to the file */
  const start = async (name, from) => {
    const part = parts.find((one) => one.type === 'chunk' && one.isEntry && one.name === name);
    const define = { __CBOS_PROGRAM__: JSON.stringify(part?.fileName), __CBOS_PARTS__: JSON.stringify(from) };
    const fileName = name === PROGRAM ? basename(output) : `${name}.js`;
    return generate({
      input: { start: START },
      transform: { define },
      output: { banner: name === PROGRAM ? '#!/usr/bin/env node' : '', entryFileNames: fileName },
    });
  };
  const starts = (await Promise.all(Object.keys(threads).map((name) => start(name, '.')))).flat();
  const directory = dirname(output);
  mkdirSync(join(directory, PARTS), { recursive: true });
  // Without this file, Node would treat the parts as ES modules, like the rest of the package.
  replaceFile(join(directory, 'package.json'), '{ "type": "commonjs" }\n');
  for (const part of parts) replaceFile(join(directory, PARTS, part.fileName), asFunction(part));
  for (const file of starts) replaceFile(join(directory, PARTS, file.fileName), contentOf(file));
  // Write the file that users run last, because it must never refer to a missing part.
  for (const file of await start(PROGRAM, PARTS)) replaceFile(join(directory, file.fileName), contentOf(file));
  removeOthers(join(directory, PARTS), new Set([...parts, ...starts].map((part) => part.fileName)));
}

/**
 * @param {import('rolldown').BuildOptions} options
 * @returns {Promise<(import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]>}
 */
async function generate({ output, ...options }) {
  const build = await rolldown({
    ...options,
    cwd: ROOT,
    platform: 'node',
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  try {
    const made = await build.generate({
      ...output,
      format: 'cjs',
      // Scripts that are run with `node:vm` cannot use `import` without an experimental feature of Node, which would
      // print a warning.
      dynamicImportInCjs: false,
      sourcemap: true,
      // Remove comments, because Node reads the whole file.
      comments: { jsdoc: false, annotation: true, legal: true },
    });
    return made.output;
  } finally {
    await build.close();
  }
}

/**
 * Returns the content of a file. In code, all characters outside ASCII are escaped, because Node reads ASCII code three
 * times as fast, and V8 needs only half the memory for it. An escape has the same meaning as the character in strings,
 * templates, and patterns, and such characters do not occur anywhere else in the code. Only in `String.raw` would an
 * escape mean something else.
 * @param {import('rolldown').OutputChunk | import('rolldown').OutputAsset} file
 */
function contentOf(file) {
  if (file.type !== 'chunk') return file.source;
  const raw = /String\.raw`[^`]*[^\0-\x7f]/.exec(file.code);
  if (raw !== null) throw new Error(`${file.fileName}: String.raw with characters beyond ASCII: ${raw[0]}`);
  const code = file.name === BASE ? withPlainExports(file.code) : file.code;
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns the content of a part: a function expression, which `src/start.ts` calls with what Node passes to a CommonJS
 * module. The function begins on the part's first line, so that line numbers in stack traces match the source map.
 * @param {import('rolldown').OutputChunk | import('rolldown').OutputAsset} part
 */
function asFunction(part) {
  const content = contentOf(part);
  if (part.type !== 'chunk') return content;
  return `(function (exports, require, module, __filename, __dirname) {${content}\n})`;
}

/**
 * Exports all names of a part at once, as values. Defining a getter for each name, as the bundler does, takes as long
 * as the rest of the base. The base imports no other part, so all of its names have their values when it exports them.
 * @param {string} code
 */
function withPlainExports(code) {
  const getter =
    /^Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function\(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm;
  /** @type {string[]} */
  const names = [];
  const rest = code.replace(getter, (_, name, value) => {
    names.push(`\t${name}: ${value}`);
    return '';
  });
  // Whatever stayed on the old `exports` would be missing, and a part that uses it would fail only when it does.
  if (/\bexports\b/.test(rest)) throw new Error(`${BASE}: an export has an unknown form`);
  return `${rest.trimEnd()}\nmodule.exports = {\n${names.join(',\n')}\n};\n`;
}

/**
 * Fails if the base imports another part. Every command would then load that part as well, and if that part in turn
 * imported the base, the program would not start.
 * @param {(import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} parts
 */
function requireNoPart(parts) {
  const base = parts.find((part) => part.type === 'chunk' && part.name === BASE);
  const needed = base?.type === 'chunk' ? base.imports.filter((file) => !/^(node:|rolldown-runtime-)/.test(file)) : [];
  if (needed.length > 0) throw new Error(`BASE_FILES must contain what the base imports: ${needed.join(', ')}`);
}

/** Deletes the parts of earlier builds. @param {string} directory @param {Set<string>} kept */
function removeOthers(directory, kept) {
  for (const name of readdirSync(directory)) if (!kept.has(name)) rmSync(join(directory, name));
}

/**
 * Replaces a file by renaming the new one, so that a `cbos` that starts at this moment reads either the old file or the
 * new one.
 * @param {string} file @param {string | Uint8Array} content
 */
function replaceFile(file, content) {
  const temporary = `${file}.${process.pid}.tmp`;
  // Set the mode when the file is created, because somebody may run the program at this moment.
  writeFileSync(temporary, content, { mode: 0o755 });
  renameSync(temporary, file);
}
