import type { LiveScore } from './score-live.ts';

/** version → scene → its last runs, as in `test/fixtures/live-accuracy.json` */
export type LiveResults = Record<string, Record<string, { at: string; runs: LiveScore[] }>>;

/** Replaces old results with newer ones, sorted by the names of the scenes. */
export function mergeLive(old: LiveResults, fresh: LiveResults): LiveResults {
  const merged: LiveResults = { ...old };
  for (const [version, scenes] of Object.entries(fresh)) {
    const all = Object.entries({ ...old[version], ...scenes });
    merged[version] = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b)));
  }
  return merged;
}

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** Returns the results of each scene on the newest version on which it was measured. */
export function newestLive(results: LiveResults): LiveResults[string] {
  const versions = Object.keys(results).sort(byVersion);
  return Object.assign({}, ...versions.map((version) => results[version])) as LiveResults[string];
}
