import { describe, expect, test } from 'vitest';
import { ATTEMPTS_MORE, LAUNCH_NAMES, LAUNCH_TIMEOUT_MS, play, readTraces, writeTraces } from './traces.ts';

describe.concurrent('the real Claude Code', () => {
  test.each(LAUNCH_NAMES)(
    'does what its trace says: %s',
    { timeout: LAUNCH_TIMEOUT_MS, retry: ATTEMPTS_MORE },
    async (launch) => {
      const played = await play(launch, 'real');
      // `CBOS_TRACES=write` records the traces again, for example those of another version.
      if (process.env.CBOS_TRACES === 'write') writeTraces(launch, played);
      expect(played).toEqual(readTraces(launch));
    },
  );
});
