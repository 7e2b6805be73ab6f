import type { LiveResults } from '../live/results.ts';
import { type Figures, figuresOf, type ScoredRecording } from './accuracy.ts';
import {
  faultSection,
  figuresRow,
  of,
  percent,
  type ShownFigures,
  steadiness,
  TITLES,
  table,
  versionsOf,
} from './accuracy-page.ts';

/** Renders the section of docs/ACCURACY.md about recordings that no rule was written for. */
export function heldOutSection(first: readonly FirstScoring[], now: readonly ScoredRecording[]): string {
  const scorings = first.flatMap(({ at, commit, recordings, all, versions, load }) => [
    `Scored once on ${at.slice(0, 10)}, with the rules of commit \`${commit}\`: ${recordings.length} recordings${madeAt(load)}.`,
    table(TITLES, [...rowsOf(versions), figuresRow('**all**', all)]),
  ]);
  const today = Object.fromEntries(
    versionsOf(now).map((version) => [
      version,
      figuresOf(
        of(
          now.filter((one) => one.version === version),
          'cbos',
        ),
      ),
    ]),
  );
  return [
    '## On versions and scenes that no rule was written for',
    `The recordings below \`test/fixtures/recordings-held-out/\` are scored (\`npm run accuracy -- --held-out\`) before anybody looks at them. The
figures are recorded once, with the commit of the rules. Faults that the recordings revealed may be fixed afterwards with the help of
similar recordings, so the last table does not predict the score on new versions.`,
    ...scorings,
    WHAT_WAS_SEEN,
    'How all versions score under the current rules:',
    table(TITLES, [...rowsOf(today), figuresRow('**all**', figuresOf(of(now, 'cbos')))]),
    steadiness(now),
    faultSection(now),
  ].join('\n\n');
}

const WHAT_WAS_SEEN = `The faults that a set of recordings revealed were fixed, if possible with recordings of other versions. After that, a set that nobody had
seen was scored.

- The set of 1.0.90 to 2.1.205 revealed three faults. A notice covered the end of "esc to interrupt" (fixed with 2.1.92). The last option of
  a permission request had a different label (fixed with 2.0.42 itself). An answer was reported as thinking, because in 1.0.90 the spinner's
  highlight does not turn (its pace was measured in 1.0.90 itself, and checked on 1.0.72 and 1.0.88).
- The set of 1.0.85 to 2.1.321 revealed two faults, both fixed with this set. On a machine with a load of 10 to 16, a spinner had the pace
  that had been measured in 1.0.90. A turning highlight was treated as one that does not turn.
- The set of 1.0.83 to 2.1.310 revealed one fault: in 2.0.72, an answer followed reasoning that only the spinner's clock had shown (fixed
  with 2.0.70).

The first recordings of 1.0.110 and 2.0.59 were scored but not kept. On the machine where they were made, each request was sent three to
seven seconds after its key was pressed, and the screen was drawn once a second. The new recordings, with the same scenes, are called
"again".`;

const madeAt = (load: FirstScoring['load']): string =>
  load === undefined ? '' : `, made on two cores with a load of ${load.least} to ${load.most}`;

const rowsOf = (versions: Readonly<Record<string, ShownFigures>>): string[][] =>
  Object.entries(versions).map(([version, figures]) => figuresRow(version, figures));

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** Renders the section about live sessions. */
export function liveSection(results: LiveResults): string {
  const sections = Object.entries(results).flatMap(([version, scenes]) => {
    const runs = Object.values(scenes).flatMap((scene) => scene.runs);
    const lags = runs.flatMap((run) => run.lagsMs).sort((a, b) => a - b);
    const samples = runs.reduce((sum, run) => sum + run.samples, 0);
    const right = runs.reduce((sum, run) => sum + run.right, 0);
    const days = [...new Set(Object.values(scenes).map(({ at }) => at.slice(0, 10)))].sort();
    const overview = [
      version,
      String(Object.keys(scenes).length),
      String(runs.length),
      String(samples),
      percent(samples === 0 ? 1 : right / samples),
      `${Math.round(quantile(lags, 0.5))} ms`,
      `${Math.round(quantile(lags, 0.9))} ms`,
      days.join(', '),
    ];
    const wrong = Object.entries(scenes).flatMap(([scene, found]) =>
      found.runs.flatMap(({ faults }) => faults.map((fault) => `- ${scene}: ${fault}`)),
    );
    return [
      table(
        ['version', 'scenes', 'runs', 'samples', 'right after 1 s', 'median lag', 'p90 lag', 'measured'],
        [overview],
      ),
      wrong.length === 0
        ? 'No sample was wrong, and no status flickered.'
        : `These samples were wrong:\n\n${wrong.join('\n')}`,
    ];
  });
  return [
    '## Live, with all sources',
    `The recorder's scenes are played with the real Claude Code in a session of a running server, which uses hooks, screen, registry and process
together. Every 50 ms, the status that a WebSocket client has received is scored: its primary and, if the session is waiting, its detail.
The first second after each change of the true state is not scored. In the 300 ms before a key's label, the new state also counts as right.
The lag is the time from the change until the client receives the new status. \`npm run accuracy -- --live\` writes this section; \`npm test\`
plays the hardest scenes again.`,
    ...sections,
    WHAT_LAG_IS,
  ].join('\n\n');
}

const WHAT_LAG_IS = `The lag is measured from the moment a key is pressed, so it includes the time that the server, Screen and Claude Code itself take. The runs
of 2.1.330 were made on two cores with a load of 6 to 20, so their lags apply only to such a machine. Twenty scenes were played again. Five
of them had revealed faults, which were then fixed: the settings, the permission rules, \`/help\`, \`/resume\`, and a background agent's
permission request. The other fifteen were played again because of the load, eight of them on an idle machine. Under load, a spinner
sometimes starts to turn more than 300 ms before the request that its label follows. In one run, the turn ended 17 ms before its subagent's
permission request was reported.`;

/** The figures for held-out recordings when they were first scored. They are never changed. */
interface FirstScoring {
  at: string;
  /** the commit that contains the rules */
  commit: string;
  /** `VERSION/SCENE` */
  recordings: string[];
  /** load of the machine during recording; omitted if the recording does not contain it */
  load?: { least: number; most: number };
  all: ShownFigures;
  versions: Record<string, ShownFigures>;
}

/** Returns the figures for recordings that have never been scored before. */
export function firstScoring(scored: readonly ScoredRecording[], when: { at: string; commit: string }): FirstScoring {
  const figuresOfThese = (some: readonly ScoredRecording[]): Figures => figuresOf(of(some, 'cbos'));
  const loads = scored.flatMap(({ load }) => load ?? []);
  return {
    ...when,
    ...(loads.length === 0 ? {} : { load: { least: Math.min(...loads), most: Math.max(...loads) } }),
    recordings: scored.map(({ version, scene }) => `${version}/${scene}`),
    all: figuresOfThese(scored),
    versions: Object.fromEntries(
      versionsOf(scored).map((version) => [version, figuresOfThese(scored.filter((one) => one.version === version))]),
    ),
  };
}
