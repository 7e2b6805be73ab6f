import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TimelineEntry } from '../../src/core/status/index.ts';
import type { Detail } from '../../src/protocol/index.ts';
import { type Label, phasesOf } from './active-truth.ts';
import { firstMatchTimeline, twoLevelTimeline } from './baselines.ts';
import { replay, type Said, timelineOf } from './replay.ts';

/** Time between samples. */
const SAMPLE_MS = 200;
/** Samples are not scored until this long after a change in the truth. */
const AFTER_CHANGE_MS = 2_000;
/**
 * The label of a keypress or a request may be written up to this long after the screen shows its effect. The lenient
 * figure omits the samples within this time before a change. It is reported next to the strict figure, never instead of
 * it.
 */
const BEFORE_CHANGE_MS = 300;

/**
 * The highest load at which lags are measured. A busier machine draws late, so lags from recordings made on one are
 * omitted. For older recordings, the load is not known.
 */
const AT_REST_LOAD = 4;

/** The detectors that are scored: CBOS, and the two sets of patterns that it is compared with. */
export const DETECTORS = ['cbos', 'first-match', 'two-level'] as const;
export type Detector = (typeof DETECTORS)[number];

/** If a word is shown for less than this, nobody could read it. */
const SHORTEST_MS = 300;

/** Consecutive samples that were wrong in the same way. Times are in milliseconds from the start of the recording. */
export interface Fault {
  fromMs: number;
  samples: number;
  truth: string;
  said: string;
  /** when the true state began and ended; null if the recording ends before that */
  truthFromMs: number;
  truthToMs: number | null;
}

export interface Count {
  samples: number;
  right: number;
}

export interface Score {
  version: string;
  scene: string;
  strict: Count;
  /** without the samples just before a change */
  lenient: Count;
  waiting: Count;
  /** details of a running turn */
  active: Count;
  /** what a running turn did → what was reported */
  doing: Map<string, Map<string, number>>;
  /** truth → what was reported → number of strict samples */
  confusion: Map<string, Map<string, number>>;
  /** A reported word may be this brief if the true state was just as brief. */
  faults: Fault[];
  /** every detail of a running turn that was wrong */
  detailFaults: Fault[];
  /** for each change in the truth that was followed by the correct word, the delay in milliseconds */
  lagsMs: number[];
}

/** A recording, the status that CBOS reported over its course, and the scores of all detectors. */
export interface ScoredRecording {
  version: string;
  scene: string;
  /** the machine's load during recording; null if it is not known */
  load: number | null;
  timeline: TimelineEntry[];
  /** words that CBOS reported only for a moment, listed for people to read */
  moments: string[];
  scores: Record<Detector, Score>;
}

/** The details that a waiting session must show, by scene. */
const WAITING_DETAIL: Readonly<Record<string, Detail>> = {
  ask: 'question',
  plan: 'plan',
  trust: 'setup',
  permission: 'permission',
  deny: 'permission',
  write: 'permission',
};

/** Returns the detail that a waiting session in a scene must show if its labels do not contain one. */
export const waitingDetailOf = (scene: string): Detail | undefined => WAITING_DETAIL[scene];

/** Reports whether a reported status matches a label's state. */
export function isRight(truth: string, said: Said, scene: string): boolean {
  const { primary, detail, isOneWord = false } = said;
  const isIdle = primary === 'idle' && (!isOneWord || detail === null);
  if (truth === 'waiting-or-idle') return primary === 'waiting' || isIdle;
  if (truth === 'error') return primary === 'idle' && detail === 'error';
  // A menu that the user opened may count as either. For a detector with a single word, a prompt counts as waiting.
  if (truth === 'idle' && (scene === 'slash' || isOneWord)) return isIdle || primary === 'waiting';
  return primary === truth;
}

const wordOf = ({ primary, detail }: Said): string =>
  primary === null ? 'unknown' : primary === 'idle' && detail === 'error' ? 'error' : primary;

interface Scored {
  version: string;
  scene: string;
  labels: readonly Label[];
  load: number | null;
}

function scoreSaid(timeline: readonly { at: number; said: Said }[], { version, scene, labels, load }: Scored): Score {
  const states = labels.filter((label) => label.state !== undefined);
  const endMs = (labels.at(-1)?.t ?? 0) * 1_000;
  const score: Score = {
    version,
    scene,
    strict: { samples: 0, right: 0 },
    lenient: { samples: 0, right: 0 },
    waiting: { samples: 0, right: 0 },
    active: { samples: 0, right: 0 },
    doing: new Map(),
    confusion: new Map(),
    faults: [],
    detailFaults: [],
    lagsMs: [],
  };
  const phases = phasesOf(labels);
  const saidAt = (time: number): Said =>
    timeline.findLast((entry) => entry.at <= time)?.said ?? { primary: null, detail: null };
  for (let time = 0; time < endMs; time += SAMPLE_MS) {
    const index = states.findLastIndex((label) => label.t * 1_000 <= time);
    const label = states[index];
    const truth = label?.state ?? 'starting';
    if (label === undefined || truth === 'starting' || truth === 'dead') continue;
    if (time < label.t * 1_000 + AFTER_CHANGE_MS) continue;
    const said = saidAt(time);
    const right = isRight(truth, said, scene);
    count(score.strict, right);
    const next = states[index + 1];
    if (!right) {
      addFault(score.faults, {
        fromMs: time,
        samples: 1,
        truth,
        said: wordOf(said),
        truthFromMs: label.t * 1_000,
        truthToMs: next === undefined ? null : next.t * 1_000,
      });
    }
    tally(score.confusion, truth, wordOf(said));
    if (time < (next?.t ?? Number.POSITIVE_INFINITY) * 1_000 - BEFORE_CHANGE_MS) {
      count(score.lenient, right);
    }
    const detail = label.detail ?? waitingDetailOf(scene);
    if (truth === 'waiting' && detail !== undefined && said.primary === 'waiting' && said.isOneWord !== true) {
      count(score.waiting, said.detail === detail);
    }
    const at = phases.findLastIndex(({ fromMs }) => fromMs <= time);
    const phase = phases[at];
    if (truth === 'active' && said.primary === 'active' && phase?.detail != null) {
      if (time < phase.fromMs + AFTER_CHANGE_MS) continue;
      const isRightDetail = said.detail === phase.detail;
      count(score.active, isRightDetail);
      tally(score.doing, phase.detail, said.detail ?? 'unknown');
      if (isRightDetail) continue;
      addFault(score.detailFaults, {
        fromMs: time,
        samples: 1,
        truth: phase.detail,
        said: said.detail ?? 'unknown',
        truthFromMs: phase.fromMs,
        truthToMs: phases[at + 1]?.fromMs ?? null,
      });
    }
  }
  for (const [index, label] of load !== null && load > AT_REST_LOAD ? [] : states.entries()) {
    const truth = label.state ?? '';
    if (truth === 'starting' || truth === 'dead') continue;
    const fromMs = label.t * 1_000;
    const toMs = (states[index + 1]?.t ?? Number.POSITIVE_INFINITY) * 1_000;
    const first = isRight(truth, saidAt(fromMs), scene)
      ? fromMs
      : timeline.find((entry) => entry.at > fromMs && entry.at < toMs && isRight(truth, entry.said, scene))?.at;
    if (first !== undefined) score.lagsMs.push(first - fromMs);
  }
  return score;
}

function tally(table: Map<string, Map<string, number>>, truth: string, said: string): void {
  const row = table.get(truth) ?? new Map<string, number>();
  table.set(truth, row.set(said, (row.get(said) ?? 0) + 1));
}

function addFault(faults: Fault[], fault: Fault): void {
  const last = faults.at(-1);
  const goesOn = last !== undefined && last.fromMs + last.samples * SAMPLE_MS === fault.fromMs;
  if (goesOn && last.truth === fault.truth && last.said === fault.said) last.samples++;
  else faults.push(fault);
}

/** If the true state itself lasts less than this, the report may be just as short. */
const SHORT_TRUTH_MS = 1_000;

/**
 * Returns the words that a timeline contains only for a moment, for people to read. States that the session really
 * passed through just as briefly are left out, and so are the details of a running turn, because the turn keeps
 * running.
 */
function momentsOf(timeline: readonly TimelineEntry[], { scene, labels }: Scored): string[] {
  const states = labels.filter((label) => label.state !== undefined);
  const short = states.flatMap(({ t, state = '' }, index) => {
    const fromMs = t * 1_000;
    const toMs = (states[index + 1]?.t ?? Number.POSITIVE_INFINITY) * 1_000;
    return toMs - fromMs < SHORT_TRUTH_MS ? [{ fromMs, toMs, state }] : [];
  });
  const changes = timeline.filter(({ primary }, index) => primary !== timeline[index - 1]?.primary);
  return changes.flatMap((entry, index) => {
    const { at, primary, detail } = entry;
    const until = changes[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    if (primary === null || until - at >= SHORTEST_MS) return [];
    const isTrue = short.some(
      ({ fromMs, toMs, state }) =>
        isRight(state, entry, scene) && fromMs - BEFORE_CHANGE_MS < until && toMs + BEFORE_CHANGE_MS > at,
    );
    return isTrue ? [] : [`${primary}/${detail} for ${Math.round(until - at)} ms`];
  });
}

function count(figure: Count, right: boolean): void {
  figure.samples++;
  if (right) figure.right++;
}

function readLabels(base: string): Label[] {
  return readFileSync(`${base}.labels.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Label);
}

/** Scores one recording, `DIRECTORY/VERSION/SCENE`, from the screen alone. */
export async function scoreRecording(directory: string, version: string, scene: string): Promise<ScoredRecording> {
  const base = join(directory, version, scene);
  const played = await replay(base);
  const timeline = timelineOf(played);
  const { load = null } = JSON.parse(readFileSync(`${base}.meta.json`, 'utf8')) as { load?: number };
  const scored = { version, scene, load, labels: readLabels(base) };
  const said = timeline.map(({ at, primary, detail }) => ({ at, said: { primary, detail } }));
  return {
    version,
    scene,
    load,
    timeline,
    moments: momentsOf(timeline, scored),
    scores: {
      cbos: scoreSaid(said, scored),
      'first-match': scoreSaid(firstMatchTimeline(played), scored),
      'two-level': scoreSaid(twoLevelTimeline(played), scored),
    },
  };
}

/** Scores every labelled recording in a directory with files `VERSION/SCENE.*`. */
export async function scoreDirectory(directory: string): Promise<ScoredRecording[]> {
  const scored: ScoredRecording[] = [];
  const versions = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name: version } of versions.sort((a, b) => compareVersions(a.name, b.name))) {
    const scenes = readdirSync(join(directory, version))
      .filter((name) => name.endsWith('.labels.jsonl'))
      .map((name) => name.slice(0, -'.labels.jsonl'.length));
    for (const scene of scenes.sort()) scored.push(await scoreRecording(directory, version, scene));
  }
  return scored;
}

const compareVersions = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

export interface Figures {
  /** strict samples */
  samples: number;
  /** share of the samples with the correct primary, 0 to 1 */
  strict: number;
  /** the same share without the samples just before a change in the truth */
  lenient: number;
  /** share of the samples correctly reported as waiting that have the correct detail, 0 to 1 */
  waitingDetail: number;
  /** the number of those samples */
  waitingSamples: number;
  /** share of the samples correctly reported as active that have the correct detail, 0 to 1 */
  activeDetail: number;
  /** the number of those samples */
  activeSamples: number;
  medianLagMs: number;
  p90LagMs: number;
  /** the number of changes for which a lag was measured */
  lagSamples: number;
}

/** Adds up scores. */
export function figuresOf(scores: readonly Score[]): Figures {
  const part = (pick: (score: Score) => Count): number => {
    const samples = scores.reduce((total, score) => total + pick(score).samples, 0);
    return samples === 0 ? 1 : scores.reduce((total, score) => total + pick(score).right, 0) / samples;
  };
  const lags = scores.flatMap((score) => score.lagsMs).sort((a, b) => a - b);
  const quantile = (at: number): number => lags[Math.min(lags.length - 1, Math.floor(lags.length * at))] ?? 0;
  return {
    samples: scores.reduce((total, score) => total + score.strict.samples, 0),
    strict: part((score) => score.strict),
    lenient: part((score) => score.lenient),
    waitingDetail: part((score) => score.waiting),
    waitingSamples: scores.reduce((total, score) => total + score.waiting.samples, 0),
    activeDetail: part((score) => score.active),
    activeSamples: scores.reduce((total, score) => total + score.active.samples, 0),
    medianLagMs: quantile(0.5),
    p90LagMs: quantile(0.9),
    lagSamples: lags.length,
  };
}
