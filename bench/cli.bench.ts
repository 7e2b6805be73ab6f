import { fileURLToPath } from 'node:url';
import { PROGRAM, startCbos } from '../test/harness/cbos.ts';
import { createWorld } from '../test/harness/world.ts';
import { type Took, timeCommand } from './command-time.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  'each command, on a server with ten sessions, compared with a bare `node -e 0`, alternating: processor time (user and system) and wall time as ratios of the medians';

const RUNS = 20;
const SESSIONS = 10;
/** A person does not notice a difference from the bare runtime that is smaller than this. */
const MOST_TIMES = 1.4;

const COMMANDS: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '--json'],
  ['show', 'STUB-1'],
  ['status'],
  // Nothing is typed, because the session does not exist; the request and its response are the same.
  ['send', 'NOBODY', 'hello', '--queue'],
  ['complete', '--', 'show', ''],
  ['--version'],
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
  const taken = COMMANDS.map((): Took[] => []);
  for (let run = 0; run < RUNS; run++) {
    bare.push(timeCommand(world, [process.execPath, '-e', '0']));
    for (const [index, command] of COMMANDS.entries()) {
      const mayFail = command.includes('NOBODY');
      taken[index]?.push(timeCommand(world, [process.execPath, PROGRAM, ...command], mayFail));
    }
  }
  const [bareProcessor, bareWall] = mediansOf(bare);
  const figures = COMMANDS.flatMap((command, index): Figure[] => {
    const [processor, wall] = mediansOf(taken[index] ?? []);
    const name = `cbos ${command.join(' ')}`.trimEnd();
    return [
      { name: `${name}, processor`, value: processor / bareProcessor, unit: '× bare Node', limit: MOST_TIMES },
      { name: `${name}, wall`, value: wall / bareWall, unit: '× bare Node' },
    ];
  });
  return [
    { name: 'bare Node, processor', value: bareProcessor, unit: 'ms' },
    { name: 'bare Node, wall', value: bareWall, unit: 'ms' },
    ...figures,
  ];
}

const mediansOf = (took: readonly Took[]): [processor: number, wall: number] => [
  median(took.map(({ processorMs }) => processorMs)),
  median(took.map(({ wallMs }) => wallMs)),
];
