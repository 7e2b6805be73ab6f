import { describe, expect, test } from 'vitest';
import { pinnedVersion, runLive } from './run-live.ts';

/**
 * Where sources disagree or one is silent, as short as can be: of an interrupt and a dismissed dialog no hook tells, a transcript covers the
 * dialog that a hook announced, one turn follows on another, a refusal comes at once.
 */
const HARD_SCENES = ['transcript-permission', 'queued', 'interrupt-tool', 'ask-escape', 'credit'];

describe('what a client is told of a live session', () => {
  test('is right from one second after a change on, in the scenes in which sources disagree', async () => {
    const said: string[] = [];
    const { results, broken } = await runLive({
      scenes: HARD_SCENES,
      runs: 1,
      parallel: 3,
      claude: pinnedVersion(),
      // The pinned version is installed: nothing is fetched.
      cacheDir: '/nonexistent',
      signal: new AbortController().signal,
      print: (line) => said.push(line),
    });
    expect(broken, said.join('\n')).toEqual([]);
    for (const [scene, { runs }] of Object.entries(results[pinnedVersion()] ?? {})) {
      for (const { samples, right, faults } of runs) {
        expect({ right, faults }, `${scene}\n${said.join('\n')}`).toEqual({ right: samples, faults: [] });
        expect(samples).toBeGreaterThan(50);
      }
    }
  });
});
