import type { SceneSetOptions } from '../recordings/scene-set.ts';
import { RECORDED_SCENES } from '../recordings/scenes/index.ts';
import { playLive } from './play-live.ts';
import { describeRun, type LiveScore, scoreLive } from './score-live.ts';

export { obtainClaude, pinnedVersion, RecorderError } from '../recordings/claude-versions.ts';

/** What a run of a scene has shown, as it is kept; the floor of the tests is that every sample is right. */
export type LiveRunResult = Pick<LiveScore, 'samples' | 'right' | 'lagsMs' | 'faults'>;

/** version → scene → its last runs, `test/fixtures/live-accuracy.json` */
export type LiveResults = Record<string, Record<string, { at: string; runs: LiveRunResult[] }>>;

export interface RunLiveOptions extends SceneSetOptions {
  scenes: readonly string[];
  /** how often each scene is played */
  runs: number;
  /** how many are played side by side, each on a server of its own */
  parallel: number;
}

/** The scenes that this version is scored on. Every version can do the core ones, and the pinned one all. */
export const liveScenes = (): string[] => Object.keys(RECORDED_SCENES);

/** Plays scenes live and scores them. A scene that does not come to its end is no result, and named in `broken`. */
export async function runLive(options: RunLiveOptions): Promise<{ results: LiveResults; broken: string[] }> {
  const { scenes, runs, parallel, claude, signal, print } = options;
  const plays = scenes.flatMap((scene) => Array.from({ length: runs }, (_, index) => ({ scene, number: index + 1 })));
  const scores = new Map<string, LiveRunResult[]>();
  const broken: string[] = [];
  const nothing = (): void => undefined;
  const play = async (): Promise<void> => {
    for (let next = plays.shift(); next !== undefined && !signal.aborted; next = plays.shift()) {
      const { scene, number } = next;
      const name = `${scene} ${number}/${runs}`;
      try {
        const run = await playLive(scene, { ...options, print: nothing });
        const score = scoreLive(run);
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

/** The results with newer ones in the place of the old, scenes by name. */
export function mergeLive(old: LiveResults, fresh: LiveResults): LiveResults {
  const merged: LiveResults = { ...old };
  for (const [version, scenes] of Object.entries(fresh)) {
    const all = Object.entries({ ...old[version], ...scenes });
    merged[version] = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b)));
  }
  return merged;
}
