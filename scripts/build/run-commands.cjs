// node run-commands.cjs PROGRAM HOME: runs commands of a built program against a server that gives sample answers, and
// stores the code that V8 compiled for the program's parts (see keep-code.mjs). HOME is an empty directory that becomes
// CBOS_HOME.
const { createServer } = require('node:http');
const { readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');
const { answerTo } = require('./sample-answers.cjs');

const [program = '', home = ''] = process.argv.slice(2);

const COMMANDS = [
  ['ls'],
  ['ls', '--json'],
  ['show', 'AUTH'],
  ['show', 'NOBODY'],
  ['status'],
  ['send', 'AUTH', 'run the tests', '--queue'],
  ['answer', 'AUTH', 'yes'],
  ['complete', '--', 'show', ''],
  ['ls', '--stat'],
  ['ls', '--help'],
  ['--version'],
];

const folder = join(dirname(program), 'parts');

/** Every compiled script, by its file. V8 gives the same functions to all scripts with the same file and source. */
const scripts = new Map();
const { Script } = vm;
vm.Script = class extends Script {
  /** @param {string} source @param {vm.ScriptOptions} [options] */
  constructor(source, options) {
    super(source, options);
    const file = String(options?.filename);
    // The server runs scripts of its own.
    if (dirname(file) !== folder) return;
    scripts.set(file, this);
  }
};

const server = createServer((request, response) => {
  const { status, body } = answerTo(String(request.method), String(request.url));
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
});
const waiting = [...COMMANDS];

/** Runs the next command once the previous one has nothing left to do. Stores the code after the last command. */
function next() {
  // Each run starts the program again in this process, so no run may find the parts that an earlier run loaded.
  delete require.cache[program];
  process.exitCode = undefined;
  const command = waiting.shift();
  if (command === undefined) {
    process.removeListener('beforeExit', later);
    loadOthers();
    keep();
    process.exitCode = 0;
    return;
  }
  process.argv = [process.execPath, program, ...command];
  require(program);
}

/**
 * Loads the parts that no command has loaded: the server, the terminal UI. Loading a part starts nothing, but creates
 * its schemas. The files without a hash in their names start threads.
 */
function loadOthers() {
  const loaded = new Map();
  const requireOutside = createRequire(program);
  /** @param {string} name */
  const load = (name) => {
    const file = join(folder, name);
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const part = { exports: {} };
    loaded.set(file, part);
    const run = new vm.Script(readFileSync(file, 'latin1'), { filename: file }).runInThisContext();
    const requireFromPart = (/** @type {string} */ id) =>
      id.startsWith('./') ? load(id.slice(2)) : requireOutside(id);
    run(part.exports, requireFromPart, part, file, folder);
    return part.exports;
  };
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!/-[\w-]{8}\.js$/.test(name) || scripts.has(file)) continue;
    if (THREAD.test(name)) new vm.Script(readFileSync(file, 'latin1'), { filename: file });
    else load(name);
  }
}

/** A thread would start running, so its code is only compiled. */
const THREAD = /^search-worker-/;

function keep() {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const code = name.endsWith('.js') ? scripts.get(file)?.createCachedData() : undefined;
    if (code === undefined) continue;
    writeFileSync(`${file}.${process.pid}.tmp`, code);
    renameSync(`${file}.${process.pid}.tmp`, `${file}.code`);
  }
}

/** Plain commands end the process as soon as they are done, but here the next command follows. */
process.exit = /** @type {typeof process.exit} */ (() => undefined);

/** Node emits `beforeExit` again only if the event loop had something to do. */
const later = () => setImmediate(next);
process.on('beforeExit', later);
// Each command adds its own listeners.
process.setMaxListeners(0);
server.listen(join(home, 'cbos.sock'), () => {
  server.unref();
  next();
});
