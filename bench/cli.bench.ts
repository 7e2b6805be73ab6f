import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM, startCbos } from '../test/harness/cbos.ts';
import { createWorld } from '../test/harness/world.ts';
import { type Took, timeCommand } from './command-time.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  'each command, on a server with ten sessions, compared with a bare `node -e 0`, alternating: processor time (user and system) and wall time as ratios of the medians';

const RUNS = 20;
const SESSIONS = 10;
/**
 * What even the shortest program that asks the server needs: it loads `node:net`, sends one request, prints the bytes
 * of the response, and ends. Node 20 compiles its own streams and sockets for this: 1.3 times a bare Node.
 */
const ASK = `
const socket = require('node:net').connect(process.argv[1]);
socket.on('data', (bytes) => { require('node:fs').writeSync(1, bytes); process.exit(); });
socket.write('GET /sessions HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n');
`;

/**
 * The commands, each with its limit: how many times a bare Node it may take. A person does not notice 1.4 times, and a
 * command that asks the server begins at 1.2 (`ASK`). The rest is what the command itself needs: loading its code
 * (4 ms, most of it for V8 to read the compiled code), reading the response, and printing. Two kinds need more: `ls`
 * and `show` read the branch of each folder with a time limit, for which Node starts its threads; and completion loads
 * the parser, because it offers the options that the parser knows.
 */
const COMMANDS: readonly (readonly [command: readonly string[], limit: number])[] = [
  [['ls'], 1.9],
  [['ls', '--json'], 1.7],
  [['show', 'STUB-1'], 1.9],
  [['status'], 1.7],
  // Nothing is typed, because the session does not exist. A second request looks for a session with a similar name.
  [['send', 'NOBODY', 'hello', '--queue'], 1.9],
  [['complete', '--', 'show', ''], 2],
  [['--version'], 1.4],
];

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const stub = fileURLToPath(new URL('stub-agent.sh', import.meta.url));
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: stub });
  for (let number = 1; number <= SESSIONS; number++) {
    const slug = `STUB-${number}`;
    const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
    if (created.error !== null) throw new Error(created.error.message);
  }
  const bare: Took[] = [];
  const asked: Took[] = [];
  const taken = COMMANDS.map((): Took[] => []);
  for (let run = 0; run < RUNS; run++) {
    bare.push(timeCommand(world, [process.execPath, '-e', '0']));
    asked.push(timeCommand(world, [process.execPath, '-e', ASK, join(world.cbosHome, 'cbos.sock')]));
    for (const [index, [command]] of COMMANDS.entries()) {
      const mayFail = command.includes('NOBODY');
      taken[index]?.push(timeCommand(world, [process.execPath, PROGRAM, ...command], mayFail));
    }
  }
  const [bareProcessor, bareWall] = mediansOf(bare);
  const [askProcessor, askWall] = mediansOf(asked);
  const figures = COMMANDS.flatMap(([command, limit], index): Figure[] => {
    const [processor, wall] = mediansOf(taken[index] ?? []);
    const name = `cbos ${command.join(' ')}`.trimEnd();
    return [
      { name: `${name}, processor`, value: processor / bareProcessor, unit: '× bare Node', limit },
      { name: `${name}, wall`, value: wall / bareWall, unit: '× bare Node' },
    ];
  });
  return [
    { name: 'bare Node, processor', value: bareProcessor, unit: 'ms' },
    { name: 'bare Node, wall', value: bareWall, unit: 'ms' },
    { name: 'bare Node that asks the server, processor', value: askProcessor / bareProcessor, unit: '× bare Node' },
    { name: 'bare Node that asks the server, wall', value: askWall / bareWall, unit: '× bare Node' },
    ...figures,
  ];
}

const mediansOf = (took: readonly Took[]): [processor: number, wall: number] => [
  median(took.map(({ processorMs }) => processorMs)),
  median(took.map(({ wallMs }) => wallMs)),
];
