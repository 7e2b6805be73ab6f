// node run-commands.cjs PROGRAM HOME: runs commands of a built program against a server that answers with samples, and
// keeps the code that V8 compiled for the program's parts (see keep-code.mjs). HOME is an empty directory that becomes
// CBOS_HOME.
const { createServer } = require('node:http');
const { readdirSync, renameSync, writeFileSync } = require('node:fs');
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

/** Every compiled script, by its file. V8 gives all scripts with the same file and source the same functions. */
const scripts = new Map();
const { Script } = vm;
vm.Script = class extends Script {
  /** @param {string} source @param {vm.ScriptOptions} options */
  constructor(source, options) {
    super(source, options);
    scripts.set(String(options.filename), this);
  }
};

const server = createServer((request, response) => {
  const { status, body } = answerTo(String(request.method), String(request.url));
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
});
const waiting = [...COMMANDS];

/** Runs the next command once the previous one has nothing left to do. Keeps the code after the last command. */
function next() {
  // Each run starts the program anew in this process, so no run may find the parts of an earlier one.
  delete require.cache[program];
  process.exitCode = undefined;
  const command = waiting.shift();
  if (command === undefined) {
    process.removeListener('beforeExit', later);
    keep();
    process.exitCode = 0;
    return;
  }
  process.argv = [process.execPath, program, ...command];
  require(program);
}

function keep() {
  const folder = join(dirname(program), 'parts');
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const code = name.endsWith('.js') ? scripts.get(file)?.createCachedData() : undefined;
    if (code === undefined) continue;
    writeFileSync(`${file}.${process.pid}.tmp`, code);
    renameSync(`${file}.${process.pid}.tmp`, `${file}.code`);
  }
}

/** Node emits `beforeExit` again only if the loop had something to do. */
const later = () => setImmediate(next);
process.on('beforeExit', later);
server.listen(join(home, 'cbos.sock'), () => {
  server.unref();
  next();
});
