import { describe, expect, test } from 'vitest';
import { ATTEMPTS_MORE, LAUNCH_NAMES, LAUNCH_TIMEOUT_MS, play, readTraces } from './traces.ts';

describe.concurrent('the stand-in for Claude Code', () => {
  test.each(LAUNCH_NAMES)(
    'does what the trace of the real one says: %s',
    { timeout: LAUNCH_TIMEOUT_MS, retry: ATTEMPTS_MORE },
    async (launch) => {
      expect(await play(launch, 'stand-in')).toEqual(readTraces(launch));
    },
  );
});
