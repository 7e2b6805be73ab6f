import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ROOT } from '../root.mjs';
import { accuracyChart } from './accuracy-chart.mjs';
import { addressesFile } from './addresses-file.mjs';
import { argumentsPage } from './arguments-page.mjs';
import { commandTree } from './command-tree.mjs';
import { commandsPage } from './commands-page.mjs';
import { errorsPage } from './errors-page.mjs';
import { framesPage } from './frames-page.mjs';
import { manPages } from './man-pages.mjs';
import { movingPicture } from './moving-picture.mjs';
import { restPage } from './rest-page.mjs';
import { scaleChart } from './scale-chart.mjs';
import { withSettingsTable } from './settings-table.mjs';
import { withSpeedTables } from './speed-page.mjs';

/** @typedef {import('./schema-words.mjs').Schema} Schema */

/** The directory of the manual pages. @type {string} */
const MAN = 'man';

/**
 * Renders the files in the repository that are generated from the sources. This reads the compiler's output under
 * build/, so `tsc -b` must run first.
 * @returns {Promise<{ file: string, content: string }[]>}
 */
export async function generatedFiles() {
  const [protocol, { openApiDocument }, { resolveSettings }, launch, tree] = await Promise.all([
    compiled('protocol/index.js'),
    compiled('server/http/openapi.js'),
    compiled('core/settings/index.js'),
    compiled('core/launch/index.js'),
    commandTree(),
  ]);
  const version = packageVersion();
  const document = openApiDocument(version);
  const defaults = resolveSettings({
    flags: {},
    environment: {},
    file: null,
    toAbsolutePath: (/** @type {string} */ path) => path,
  });
  const manual = Object.entries(manPages(tree, version)).sort(([one], [other]) => (one < other ? -1 : 1));
  const schema = (/** @type {z.ZodType} */ type) => /** @type {Schema} */ (z.toJSONSchema(type));
  return [
    { file: 'src/protocol/addresses.ts', content: addressesFile(protocol.ROUTES, protocol.MACHINE_CALLS) },
    { file: 'docs/ERRORS.md', content: errorsPage(protocol.ERRORS) },
    { file: 'docs/openapi.json', content: `${JSON.stringify(document, null, 2)}\n` },
    {
      file: 'docs/SETTINGS.md',
      content: withSettingsTable(read('docs/SETTINGS.md'), protocol.SETTING_ROWS, defaults.settings),
    },
    {
      file: 'docs/explanation/speed.md',
      content: withSpeedTables(read('docs/explanation/speed.md'), {
        peers: benchResult('peers'),
        scale: benchResult('scale'),
        changes: benchResult('changes'),
        'active-fleet': benchResult('active-fleet'),
        cli: benchResult('cli'),
        fleet: benchResult('fleet'),
        worktrees: benchResult('worktrees'),
        'memory-after': benchResult('memory-after'),
      }),
    },
    { file: 'docs/pictures/scale.svg', content: scaleChart(benchResult('scale')) },
    { file: 'docs/pictures/accuracy.svg', content: accuracyChart(read('docs/ACCURACY.md')) },
    {
      file: 'docs/pictures/tui-moving.svg',
      content: movingPicture(['tui-permission', 'tui-question'].map((name) => read(`docs/pictures/${name}.svg`))),
    },
    {
      file: 'docs/reference/arguments.md',
      content: argumentsPage({ flags: launch.CLAUDE_FLAGS, commands: launch.CLAUDE_COMMANDS }),
    },
    { file: 'docs/reference/commands.md', content: commandsPage(tree) },
    { file: 'docs/reference/rest.md', content: restPage(document) },
    {
      file: 'docs/reference/websocket.md',
      content: framesPage({
        commands: schema(protocol.StreamCommand),
        frames: schema(protocol.StreamFrame),
        listCommands: schema(protocol.SessionsCommand),
        listFrames: schema(protocol.SessionsFrame),
      }),
    },
    ...manual.map(([name, content]) => ({ file: `${MAN}/${name}`, content })),
    { file: 'package.json', content: withManual(manual.map(([name]) => name)) },
  ];
}

/**
 * Returns package.json with a list of all manual pages, which npm needs in order to install them. If only their
 * directory is given, npm does not install any.
 * @param {readonly string[]} names
 */
function withManual(names) {
  const { man: _, ...manifest } = JSON.parse(read('package.json'));
  const entries = Object.entries(manifest).flatMap(([key, value]) =>
    key === 'bin'
      ? [
          [key, value],
          ['man', names.map((name) => `./${MAN}/${name}`)],
        ]
      : [[key, value]],
  );
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

/**
 * @param {readonly { file: string }[]} generated @returns {string[]} manual pages for commands that no longer exist
 */
export function leftManPages(generated) {
  const now = new Set(generated.map(({ file }) => file));
  const names = existsSync(join(ROOT, MAN)) ? readdirSync(join(ROOT, MAN)) : [];
  return names.map((name) => `${MAN}/${name}`).filter((file) => !now.has(file));
}

/** @returns {Promise<string[]>} one line per file that does not match its source */
export async function staleFiles() {
  const generated = await generatedFiles();
  const lines = generated.flatMap(({ file, content }) => {
    const now = existsSync(join(ROOT, file)) ? read(file) : null;
    return now === content ? [] : [`${file} ${now === null ? 'is missing' : 'is stale'}: run "npm run generate"`];
  });
  return [...lines, ...leftManPages(generated).map((file) => `${file} has no source any more: run "npm run generate"`)];
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @param {string} name @returns {import('./speed-page.mjs').Recorded} */
function benchResult(name) {
  return JSON.parse(read(`bench/results/${name}.json`));
}

function packageVersion() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}

/** @param {string} path under build/ @returns {Promise<any>} the module as the compiler wrote it */
function compiled(path) {
  return import(pathToFileURL(join(ROOT, 'build', path)).href);
}
