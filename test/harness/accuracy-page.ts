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

How often the status is right. The first tables use the screen alone: no hooks and no registry, only a recording of the real Claude Code.
That is the worst case, and the method of \`cbos timeline\`. Later tables use recordings that were kept apart, and live sessions with all
sources.

**How it is scored.** Each recording below \`test/fixtures/recordings/\` has labels with the true states. They come from the requests and
answers of the stand-in for the model, from the keys that were pressed and from the process, never from the screen. The status is compared
with the labels every 200 ms. The comparison leaves out the 2 s after each change of the truth, and the time while the session starts or
after it has died. A status is right if its primary is the same. An error must be reported as an error. A turn that ended with a question
may be called idle or waiting, and so may a menu that the user opened. A detail while waiting is scored by the scene: question, plan, set-up
or permission. A detail while a turn runs is scored by the stand-in's requests and answers, from 2 s after the last of them on: thinking
from the request, responding from the first words of the answer, using tools from a call to the next request, and compacting.

**strict** is exactly this comparison. **lenient** also leaves out the last 300 ms before a change, because labels of keys and requests are
written up to that long after the screen has shown their effect. **lag** is the time from a change of the truth to the right word; there is
no lag if the word is already right. Recordings made on a machine with a load above 4 have no valid lags.

**The other two** are sets of patterns of the kind that programs of this field use, on the same terminal's text: the first match decides.
One set has a single word and polls every two seconds; where it says waiting or idle, either counts as either. The other has two levels.

\`npm run accuracy\` writes this page. The figures of CBOS are floors for the tests (\`test/fixtures/accuracy-floors.json\`) and may only rise.
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
  return table(['truth ↓ said →', ...words], rows);
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
    'Reported states by true state (strict samples):',
    confusionTable(of(scored, detector)),
    ...(detector === 'cbos'
      ? ['Reported activity of running turns by true activity:', doingTable(of(scored, detector))]
      : []),
    'Strict, by scene:',
    sceneTable(scored, detector),
  ]);
  const overview = table(
    TITLES,
    DETECTORS.map((detector) => figuresRow(NAMES[detector], figuresOf(of(scored, detector)))),
  );
  const counted = `${scored.length} recordings of ${versions.length} versions of Claude Code, ${versions.join(', ')}.`;
  return `${[INTRODUCTION.trim(), counted, overview, steadiness(scored), faultSection(scored), WHY_WRONG, ...sections, ...perDetector].join('\n\n')}\n`;
}

/** Renders the section about words that flicker. */
export function steadiness(scored: readonly ScoredRecording[]): string {
  const words = scored.reduce((sum, { timeline }) => sum + timeline.length, 0);
  const moments = scored.flatMap((one) => one.moments.map((word) => `- ${one.version} ${one.scene}: ${word}`));
  const said = `CBOS changed its word ${words} times during these recordings`;
  return moments.length === 0
    ? `${said}, and never to one that lasted less than 300 ms, unless the session passed through it as briefly.`
    : `${said}. These lasted less than 300 ms:\n\n${moments.join('\n')}`;
}

const WHY_WRONG = `A spinner turns before its request leaves, up to half a second earlier on an overloaded machine. The label follows the arrival of the
request, so "before" means that the screen is ahead of its label. "After" means that Claude Code draws late: until then, the screen shows no
sign of the change. We tried to believe a spinner after 500 ms instead of 250 (1.0.60 to 2.1.50). The two samples "before" are then right,
but every turn begins later (median lag 213 to 268 ms instead of 53 to 143; half of the lags must be below 200).`;

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
  const found = table(['recording', 'at', 'is', 'said', 'samples', 'next to a change of the truth'], rows);
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
