import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeScores, figuresOf, type SceneScore, scoreDirectory } from '../../harness/accuracy.ts';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));

/** Figures reached on the labelled recordings from the screen alone; they may only rise. */
const FLOORS = {
  '1.0.128': { right: 1, strict: 0.97, waitingDetail: 1 },
  '2.0.77': { right: 1, strict: 0.96, waitingDetail: 1 },
  '2.1.150': { right: 1, strict: 0.98, waitingDetail: 1 },
  '2.1.329': { right: 1, strict: 0.97, waitingDetail: 1 },
} as const;

/** Words that recordings of older versions really show for less than this are listed, all others are a fault. */
const SHORTEST_MS = 300;

let scores: SceneScore[] = [];
beforeAll(async () => {
  scores = await scoreDirectory(RECORDINGS);
}, 120_000);

describe('the status from the screen alone is right', () => {
  test.each(Object.entries(FLOORS))('on recordings of Claude Code %s', (version, floor) => {
    const own = scores.filter((score) => score.version === version);
    const figures = figuresOf(own);
    expect(own.length, 'recordings found').toBeGreaterThan(15);
    expect(figures.right, describeScores(own)).toBeGreaterThanOrEqual(floor.right);
    expect(figures.strict, describeScores(own)).toBeGreaterThanOrEqual(floor.strict);
    expect(figures.waitingDetail, describeScores(own)).toBeGreaterThanOrEqual(floor.waitingDetail);
  });

  test('soon after the change: half within 200 ms, nine of ten within a second', () => {
    const figures = figuresOf(scores);
    expect(figures.medianLagMs).toBeLessThanOrEqual(200);
    expect(figures.p90LagMs).toBeLessThanOrEqual(1_000);
  });

  test('and never for a moment only', () => {
    const short = scores.flatMap((score) =>
      score.timeline.flatMap((entry, index) => {
        const next = score.timeline[index + 1];
        const isChange = next !== undefined && next.primary !== entry.primary;
        const before = score.timeline[index - 1];
        const isPassage = before !== undefined && before.primary === entry.primary;
        const lastedMs = (next?.at ?? Number.POSITIVE_INFINITY) - entry.at;
        if (!isChange || isPassage || entry.primary === null || lastedMs >= SHORTEST_MS) return [];
        return [`${score.version} ${score.scene}: ${entry.primary}/${entry.detail} for ${lastedMs} ms`];
      }),
    );
    expect(short).toEqual([]);
  });

  test('hello goes from thinking through responding, where the answer is drawn as it comes', () => {
    const hello = scores.find((score) => score.version === '2.1.329' && score.scene === 'hello');
    expect(hello?.timeline.map((entry) => `${entry.primary}/${entry.detail}`)).toEqual([
      'null/null',
      'idle/ready',
      'active/thinking',
      'active/responding',
      'idle/waiting_input',
    ]);
  });
});
