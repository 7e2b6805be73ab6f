import { startCbos } from '../test/harness/cbos.ts';
import { claudeWorld } from '../test/harness/claude.ts';
import { type Figure, median } from './figures.mjs';
import { startSession } from './one-session.ts';

export const about =
  'real Claude Code on the stand-in: from POST /sessions/S/send to its answer, confirmed for an idle session, and with `queue` for a busy one';

const SENDS = 25;

export async function measure(): Promise<Figure[]> {
  await using world = await claudeWorld();
  const cbos = await startCbos(world);
  await startSession(cbos, world, 'S');
  const send = async (text: string, queue: boolean, status: string): Promise<number> => {
    const from = performance.now();
    const sent = await cbos.call<{ status: string }>('POST', '/sessions/S/send', { text, queue });
    const tookMs = performance.now() - from;
    if (sent.body.status !== status) throw new Error(`${text} is ${sent.error?.message ?? sent.body.status}`);
    return tookMs;
  };
  const confirmed: number[] = [];
  for (let count = 0; count < SENDS; count += 1) {
    confirmed.push(await send(`scene:hello number ${count}`, false, 'delivered'));
    await cbos.untilStatus('S', 'idle/waiting_input');
  }
  await send('scene:silent and wait', false, 'delivered');
  const queued: number[] = [];
  for (let count = 0; count < SENDS; count += 1) queued.push(await send(`held ${count}`, true, 'queued'));
  return [
    {
      name: `a text for an idle session, confirmed, median of ${SENDS}`,
      value: median(confirmed),
      unit: 'ms',
      limit: 500,
    },
    { name: 'the slowest of them', value: Math.max(...confirmed), unit: 'ms' },
    { name: `a text to be held, accepted, median of ${SENDS}`, value: median(queued), unit: 'ms', limit: 50 },
    { name: 'the slowest of them', value: Math.max(...queued), unit: 'ms', limit: 50 },
  ];
}
