import {
  DETECTORS,
  type Detector,
  type Fault,
  type Figures,
  figuresOf,
  type Score,
  type ScoredRecording,
} from './accuracy.ts';

const NAMES: Readonly<Record<Detector, string>> = {
  cbos: 'CBOS',
  'first-match': 'first match, one word',
  'two-level': 'first match, two levels',
};
/** The columns of the tables that `figuresRow` fills. */
export const TITLES = ['', 'samples', 'strict', 'lenient', 'waiting detail', 'active detail', 'median lag', 'p90 lag'];
const SAID = ['idle', 'error', 'active', 'waiting', 'stuck', 'dead', 'unknown'] as const;

const INTRODUCTION = `# Accuracy

This page shows how often the status is right. In the first tables, CBOS sees only the screen: it gets a recording of the real Claude Code,
without hooks or registry. This is the worst case, and it is how \`cbos timeline\` works. Later tables show the scores on held-out recordings,
and on live sessions with all sources.

**How the status is scored.** Each recording below \`test/fixtures/recordings/\` has labels with the true states. Labels never come from the
screen. They come from the requests and answers of the stand-in for the model, from the keys that were pressed, and from the process. The
status is compared with the labels every 200 ms, except in the first 2 s after each change of the true state, while the session starts, and
after it has died.

A status is right if its primary (idle, active, waiting, stuck or dead) is right. An error must be reported as an error. A turn that ended
with a question may be reported as idle or waiting, and so may a menu that the user opened. While a session waits, the scene determines the
right detail: question, plan, set-up or permission. While a turn runs, the stand-in's requests and answers determine the right detail:
thinking after a request, responding from the first words of an answer, using tools from a tool call until the next request, and compacting
during a compaction. Scoring of this detail starts 2 s after the last request or answer.

- **strict** is exactly this comparison.
- **lenient** also leaves out the last 300 ms before a change, because a label may be written up to 300 ms after the screen has shown the
  effect of a key or a request.
- **lag** is the time from a change of the true state until the right word is reported. If the word is already right, there is no lag.
  Recordings made on a machine with a load above 4 have no valid lags.

**The other two rows** show how two sets of patterns score on the text of the same terminal. Similar programs use patterns of this kind. In
both sets, the first matching pattern wins. One set reports a single word and polls every two seconds. If that word is waiting or idle, it
counts as right for either state. The other set reports two levels.

\`npm run accuracy\` writes this page. The tests fail if CBOS's figures fall below these values (\`test/fixtures/accuracy-floors.json\`), which
may only rise.
`;

export const percent = (part: number): string => `${(part * 100).toFixed(part === 1 ? 0 : 2)} %`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

export const of = (scored: readonly ScoredRecording[], detector: Detector): Score[] =>
  scored.map(({ scores }) => scores[detector]);

export const versionsOf = (scored: readonly ScoredRecording[]): string[] => [
  ...new Set(scored.map(({ version }) => version)),
];

/** Older figures, from before the details of running turns were scored, lack these fields. */
export type ShownFigures = Omit<Figures, 'activeDetail' | 'activeSamples' | 'lagSamples'> & Partial<Figures>;

export function figuresRow(name: string, figures: ShownFigures): string[] {
  const { activeDetail = 0, activeSamples = 0, lagSamples = null } = figures;
  const lag = (ms: number): string => (lagSamples === 0 ? '–' : `${Math.round(ms)} ms`);
  return [
    name,
    String(figures.samples),
    percent(figures.strict),
    percent(figures.lenient),
    figures.waitingSamples === 0 ? '–' : percent(figures.waitingDetail),
    activeSamples === 0 ? '–' : percent(activeDetail),
    lag(figures.medianLagMs),
    lag(figures.p90LagMs),
  ];
}

const DOING = ['thinking', 'responding', 'using_tools', 'compacting'] as const;

const confusionTable = (scores: readonly Score[]): string =>
  summedTable(
    scores.map(({ confusion }) => confusion),
    SAID,
  );

const doingTable = (scores: readonly Score[]): string =>
  summedTable(
    scores.map(({ doing }) => doing),
    DOING,
  );

/** Adds up how often each word was reported for each true state. */
function summedTable(tables: readonly Score['confusion'][], words: readonly string[]): string {
  const sums = new Map<string, Map<string, number>>();
  for (const [truth, row] of tables.flatMap((one) => [...one])) {
    const sum = sums.get(truth) ?? new Map<string, number>();
    for (const [said, samples] of row) sum.set(said, (sum.get(said) ?? 0) + samples);
    sums.set(truth, sum);
  }
  const rows = [...sums].sort().map(([truth, row]) => [truth, ...words.map((word) => String(row.get(word) ?? '·'))]);
  return table(['true ↓ reported →', ...words], rows);
}

function sceneTable(scored: readonly ScoredRecording[], detector: Detector): string {
  const versions = versionsOf(scored);
  const scenes = [...new Set(scored.map(({ scene }) => scene))].sort();
  const figure = (version: string, scene: string): string => {
    const one = scored.find((recording) => recording.version === version && recording.scene === scene);
    return one === undefined ? '' : percent(figuresOf([one.scores[detector]]).strict);
  };
  return table(
    ['scene', ...versions],
    scenes.map((scene) => [scene, ...versions.map((version) => figure(version, scene))]),
  );
}

/**
 * Renders docs/ACCURACY.md.
 * @param sections additional sections, placed before each detector's tables
 */
export function accuracyPage(scored: readonly ScoredRecording[], sections: readonly string[] = []): string {
  const versions = versionsOf(scored);
  const perDetector = DETECTORS.flatMap((detector) => [
    `## ${NAMES[detector]}`,
    table(TITLES, [
      ...versions.map((version) =>
        figuresRow(
          version,
          figuresOf(
            of(
              scored.filter((one) => one.version === version),
              detector,
            ),
          ),
        ),
      ),
      figuresRow('**all**', figuresOf(of(scored, detector))),
    ]),
    'How often each state was reported, by true state (strict samples):',
    confusionTable(of(scored, detector)),
    ...(detector === 'cbos'
      ? ['How often each activity of a running turn was reported, by true activity:', doingTable(of(scored, detector))]
      : []),
    'Strict scores, by scene:',
    sceneTable(scored, detector),
  ]);
  const overview = table(
    TITLES,
    DETECTORS.map((detector) => figuresRow(NAMES[detector], figuresOf(of(scored, detector)))),
  );
  const counted = `There are ${scored.length} recordings of ${versions.length} versions of Claude Code: ${versions.join(', ')}.`;
  return `${[INTRODUCTION.trim(), counted, overview, steadiness(scored), faultSection(scored), WHY_WRONG, ...sections, ...perDetector].join('\n\n')}\n`;
}

/** Renders the section about words that flicker. */
export function steadiness(scored: readonly ScoredRecording[]): string {
  const words = scored.reduce((sum, { timeline }) => sum + timeline.length, 0);
  const moments = scored.flatMap((one) => one.moments.map((word) => `- ${one.version} ${one.scene}: ${word}`));
  const said = `CBOS changed the reported word ${words} times during these recordings`;
  return moments.length === 0
    ? `${said}. No word lasted less than 300 ms, unless the session itself was in that state for less than 300 ms.`
    : `${said}. These words lasted less than 300 ms:\n\n${moments.join('\n')}`;
}

const WHY_WRONG = `A spinner starts to turn before Claude Code sends the request, up to half a second earlier on an overloaded machine. The label is the time
at which the request arrived, so in a "before" row the screen is ahead of its label. In an "after" row, Claude Code drew late: until then,
the screen showed no sign of the change. We tried waiting for 500 ms instead of 250 ms before believing a spinner (1.0.60 to 2.1.50). The
two "before" samples are then right, but every turn is detected later: the median lag rises from 53–143 ms to 213–268 ms, although half of
the lags must be below 200 ms.`;

/** Lists every wrong sample, with the nearest change in the truth. */
export function faultSection(scored: readonly ScoredRecording[]): string {
  const rows = scored.flatMap(({ version, scene, scores }) =>
    scores.cbos.faults.map((fault) => [
      `${version} ${scene}`,
      `${(fault.fromMs / 1_000).toFixed(1)} s`,
      fault.truth,
      fault.said,
      String(fault.samples),
      besideChange(fault),
    ]),
  );
  if (rows.length === 0) return 'No sample is wrong.';
  const found = table(
    ['recording', 'at', 'true state', 'reported', 'samples', 'nearest change of the true state'],
    rows,
  );
  return `These samples are wrong:\n\n${found}`;
}

function besideChange({ fromMs, truthFromMs, truthToMs }: Fault): string {
  const after = fromMs - truthFromMs;
  const before = truthToMs === null ? Number.POSITIVE_INFINITY : truthToMs - fromMs;
  return before < after ? `${Math.round(before)} ms before` : `${Math.round(after)} ms after`;
}

/**
 * Lists where CBOS was wrong: one line per recording, and below it one line for each stretch in which a running turn
 * had a wrong detail.
 */
export function describeFaults(scored: readonly ScoredRecording[]): string {
  return scored
    .flatMap(({ version, scene, scores: { cbos } }) => {
      const { strict, waiting, active, confusion, doing, detailFaults } = cbos;
      if ([strict, waiting, active].every(({ samples, right }) => samples === right)) return [];
      const said = [...confusion, ...doing].map(
        ([truth, row]) => `${truth} → ${JSON.stringify(Object.fromEntries(row))}`,
      );
      return [
        `${version} ${scene}: ${strict.right}/${strict.samples}, waiting detail ${waiting.right}/${waiting.samples}, active detail ${active.right}/${active.samples}: ${said.join(', ')}`,
        ...detailFaults.map(
          (fault) =>
            `  ${(fault.fromMs / 1_000).toFixed(1)} s: ${fault.truth} → ${fault.said}, ${fault.samples} samples, ${besideChange(fault)}`,
        ),
      ];
    })
    .join('\n');
}

/** version → scene → share of correct samples: strict samples, waiting details, and active details */
export type Floors = Record<string, Record<string, { strict: number; waitingDetail: number; activeDetail: number }>>;

/** The floor has four digits and is rounded down, because later runs must be able to reach it again. */
const floorOf = (part: number): number => Math.floor(part * 10_000) / 10_000;

/**
 * Returns the floors, raised to the new figures where those are higher. There is one floor per recording, so that a
 * difficult recording may be added.
 */
export function raisedFloors(before: Floors, scored: readonly ScoredRecording[]): Floors {
  const floors: Floors = structuredClone(before);
  for (const { version, scene, scores } of scored) {
    const figures = figuresOf([scores.cbos]);
    const old = before[version]?.[scene];
    floors[version] = {
      ...floors[version],
      [scene]: {
        strict: Math.max(floorOf(figures.strict), old?.strict ?? 0),
        waitingDetail: Math.max(floorOf(figures.waitingDetail), old?.waitingDetail ?? 0),
        activeDetail: Math.max(floorOf(figures.activeDetail), old?.activeDetail ?? 0),
      },
    };
  }
  return floors;
}
