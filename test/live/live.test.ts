import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pinnedVersion } from '../harness/claude.ts';
import { RECORDED_SCENES } from '../recordings/scenes/index.ts';
import { type LiveResults, newestLive } from './results.ts';
import { runLive } from './run-live.ts';

const readJson = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'));

const measured = (): LiveResults[string] => newestLive(readJson('live-accuracy.json') as LiveResults);

/**
 * Short scenes in which sources disagree or one of them is silent. In some, no hook reports an interrupt or a dismissed
 * dialog. In others, a transcript covers an announced dialog, one turn follows another, or a refusal comes at once.
 */
const HARD_SCENES = ['transcript-permission', 'queued', 'interrupt-tool', 'ask-escape', 'credit'];

/**
 * Other tests run at the same time, and then Claude Code itself takes over a second from its answer to its dialog. This
 * limit still finds a permanent error. `npm run accuracy -- --live` checks the limit of one second, and the tests below
 * read its results.
 *
 * No condition was found that could replace this time. The time could start when Claude Code itself reported a change
 * (the time in a hook's file, or in its registry). However, no hook reports an interrupt or a dismissed dialog, and
 * server and client need the same two busy cores. A limit of one second from that moment would measure the machine.
 */
const AFTER_CHANGE_MS = 3_000;

describe('the status of a live session that a client receives', () => {
  test('is right soon after each change, in the scenes in which sources disagree', { retry: 1 }, async () => {
    const said: string[] = [];
    const { results, broken } = await runLive({
      scenes: HARD_SCENES,
      runs: 1,
      parallel: 3,
      afterChangeMs: AFTER_CHANGE_MS,
      claude: pinnedVersion(),
      // The pinned version is installed, so nothing is downloaded.
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

  test('was right in three runs of every scene when it was last measured', () => {
    const scenes = measured();
    expect(Object.keys(scenes).sort()).toEqual(Object.keys(RECORDED_SCENES).sort());
    for (const [scene, { runs }] of Object.entries(scenes)) {
      expect(runs.length, scene).toBeGreaterThanOrEqual(3);
      for (const { samples, right, faults } of runs)
        expect({ right, faults }, scene).toEqual({ right: samples, faults: [] });
    }
  });

  test('arrived within 150 ms for half of the changes, with several sessions at once on a busy machine', () => {
    const scenes = measured();
    const lags = Object.values(scenes).flatMap(({ runs }) => runs.flatMap(({ lagsMs }) => lagsMs));
    expect(lags.sort((a, b) => a - b)[Math.floor(lags.length / 2)]).toBeLessThanOrEqual(150);
  });
});
