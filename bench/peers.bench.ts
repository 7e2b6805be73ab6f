import { type Figure, median } from './figures.mjs';
import { describeMachine } from './machine.mjs';
import { cbosPeer } from './peers/cbos.ts';
import { ccmanagerPeer } from './peers/ccmanager.ts';
import { type Held, type Idle, measureHeld, measureIdle } from './peers/holding.ts';
import { measureLists } from './peers/list-times.ts';
import type { Peer } from './peers/peer.ts';
import { fetchPrograms } from './peers/programs.mjs';
import { tmuxPeer } from './peers/tmux.ts';
import { agentsName, measureTurnLags } from './peers/turn-lag.ts';
import { wettyPeer } from './peers/wetty.ts';
import { sizeFrom, sizesFrom } from './sizes.ts';

export const about =
  'programs that do parts of the same job, each in a world of its own: idle sessions, byte to client, listing, and the lag of the status, the same work in the same run';

/** Downloads the programs. `measure` then runs in a network of its own that has only loopback. */
export const prepare = fetchPrograms;

const [FEW = 10, MANY = 30] = sizesFrom('BENCH_SESSIONS', [10, 30]);
const TURNS = sizeFrom('BENCH_TURNS', 10);
const SIZES = { idleSeconds: sizeFrom('BENCH_IDLE_SECONDS', 30), outputSeconds: sizeFrom('BENCH_OUTPUT_SECONDS', 10) };

export async function measure(): Promise<Figure[]> {
  const peers = [tmuxPeer(), ccmanagerPeer(), wettyPeer()].filter((peer) => peer !== null);
  const few = await each([cbosPeer, ...peers], (peer) => measureHeld(peer, FEW, SIZES));
  const many = await each([cbosPeer, ...peers], (peer) => measureIdle(peer, MANY, SIZES));
  const lists = await measureLists(FEW);
  const lags = await measureTurnLags(TURNS);
  const screen = `Screen ${describeMachine().screen ?? 'of an unknown version'}`;
  const ofHeld = (what: string, unit: string, read: (held: Held) => number): Figure[] =>
    compare({ what, unit, values: few.map(({ name, measured }) => ({ name, value: read(measured) })) });
  return [
    ...ofIdle(`${FEW} idle sessions`, few),
    ...ofIdle(`${MANY} idle sessions`, many),
    ...ofHeld('byte to client, median', 'ms', (held) => held.median),
    ...ofHeld('byte to client, p99', 'ms', (held) => held.p99),
    ...compare({
      what: `list ${FEW} sessions`,
      unit: 'ms',
      values: [
        { name: 'CBOS', value: lists.cbos },
        ...few.flatMap(({ name, measured: { listMs } }) =>
          name === 'CBOS' || listMs === null ? [] : [{ name, value: listMs }],
        ),
        { name: screen, value: lists.screen },
        { name: agentsName(), value: lists.agents },
      ],
    }),
    ...compare({
      what: 'end of a turn to status, median',
      unit: 'ms',
      values: [
        { name: 'CBOS', value: median(lags.cbos) },
        { name: agentsName(), value: median(lags.agents) },
        ...(lags.ccmanager === null ? [] : [{ name: lags.ccmanager.name, value: median(lags.ccmanager.lagsMs) }]),
      ],
    }),
  ];
}

type Measured<T> = { name: string; measured: T }[];

async function each<T>(peers: readonly Peer[], work: (peer: Peer) => Promise<T>): Promise<Measured<T>> {
  const results: Measured<T> = [];
  for (const peer of peers) results.push({ name: peer.name, measured: await work(peer) });
  return results;
}

function ofIdle(what: string, results: Measured<Idle>): Figure[] {
  return (['processor', 'memory'] as const).flatMap((cost) =>
    compare({
      what: `${what}, ${cost}`,
      unit: cost === 'memory' ? 'MB' : '% of a core',
      values: results.map(({ name, measured }) => ({ name, value: measured[cost] })),
    }),
  );
}

interface Compared {
  what: string;
  unit: string;
  /** the first one is CBOS */
  values: readonly { name: string; value: number }[];
}

/** Returns the figures of one row, and how CBOS compares with each other program. */
function compare({ what, unit, values }: Compared): Figure[] {
  const [ours] = values;
  return values.flatMap(({ name, value }, index) => [
    { name: `${what}: ${name}`, value, unit, cell: { row: what, column: name } },
    // Processor time is counted in ticks of 10 ms, so an idle program may have used none.
    ...(index === 0 || ours === undefined || value === 0
      ? []
      : [{ name: `${what}: CBOS against ${name}`, value: ours.value / value, unit: 'times' }]),
  ]);
}
