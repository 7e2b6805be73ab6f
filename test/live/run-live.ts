import type { SceneSetOptions } from '../recordings/scene-set.ts';
import { RECORDED_SCENES } from '../recordings/scenes/index.ts';
import { playLive } from './play-live.ts';
import type { LiveResults } from './results.ts';
import { describeRun, type LiveScore, scoreLive } from './score-live.ts';

export { pinnedVersion } from '../harness/claude.ts';
export { obtainClaude, RecorderError } from '../recordings/claude-versions.ts';
export { mergeLive } from './results.ts';

export interface RunLiveOptions extends SceneSetOptions {
  scenes: readonly string[];
  /** how often each scene is played */
  runs: number;
  /** how many scenes are played at the same time, each on its own server */
  parallel: number;
  /** how long after a change a status is scored; one second by default */
  afterChangeMs?: number;
}

/**
 * Returns the scenes on which the pinned version is scored. It can run all of them; every version can run the core
 * scenes.
 */
export const liveScenes = (): string[] => Object.keys(RECORDED_SCENES);

/** Plays scenes live and scores them. A scene that does not finish has no result, and is listed in `broken`. */
export async function runLive(options: RunLiveOptions): Promise<{ results: LiveResults; broken: string[] }> {
  const { scenes, runs, parallel, claude, signal, print } = options;
  const plays = scenes.flatMap((scene) => Array.from({ length: runs }, (_, index) => ({ scene, number: index + 1 })));
  const scores = new Map<string, LiveScore[]>();
  const broken: string[] = [];
  const nothing = (): void => undefined;
  const play = async (): Promise<void> => {
    for (let next = plays.shift(); next !== undefined && !signal.aborted; next = plays.shift()) {
      const { scene, number } = next;
      const name = `${scene} ${number}/${runs}`;
      try {
        const run = await playLive(scene, { ...options, print: nothing });
        const score = scoreLive(run, options.afterChangeMs);
        scores.set(scene, [...(scores.get(scene) ?? []), score]);
        print(`${name}: ${score.right}/${score.samples}, lags ${score.lagsMs.map(Math.round).join(' ')} ms`);
        for (const fault of score.faults) print(`  ${fault}`);
        if (score.faults.length > 0) for (const line of describeRun(run)) print(`    ${line}`);
      } catch (error) {
        if (signal.aborted) return;
        broken.push(scene);
        print(`${name} did not come to its end: ${error instanceof Error ? error.message : error}`);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, play));
  const at = new Date().toISOString();
  const whole = [...scores].filter(([, found]) => found.length === runs);
  return {
    results: { [claude]: Object.fromEntries(whole.map(([scene, found]) => [scene, { at, runs: found }])) },
    broken,
  };
}
