import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  advanceStatus,
  type Evidence,
  NO_HOOKS,
  observeScreen,
  type ScreenEvidence,
  type StatusMemory,
} from '../../src/core/status/index.ts';
import type { Detail, Primary } from '../../src/protocol/index.ts';
import { type Replay, replayRecording } from './replay.ts';

/** Time between samples. */
const SAMPLE_MS = 200;
/** A status is scored from this long after a change of the truth on. */
const AFTER_CHANGE_MS = 2_000;
/**
 * The labels of keys and requests are written up to this long after the screen has shown their effect (a spinner turns before
 * the request is on its way): so long before a change both words are right. The strict figure counts these samples too.
 */
const BEFORE_CHANGE_MS = 300;

/** A change of the derived status along a recording; times in milliseconds from its start. */
export interface TimelineEntry {
  at: number;
  primary: Primary | null;
  detail: Detail | null;
  rule: string;
  evidence: string;
}

/** One line of `SCENE.labels.jsonl`; `t` in seconds. */
interface Label {
  t: number;
  state?: string;
  event?: string;
}

export interface SceneScore {
  version: string;
  scene: string;
  samples: number;
  right: number;
  /** samples and right ones without the tolerance before a change */
  strict: { samples: number; right: number };
  /** `truth → said` of the wrong samples, with their count */
  wrong: Map<string, number>;
  waiting: { samples: number; right: number };
  /** for each change of the truth that was followed by the right word: how much later, in milliseconds */
  lagsMs: number[];
  timeline: TimelineEntry[];
}

/** The status from the screen alone along a replay, as the live server derives it: a step per frame and at each `recheckAt`. */
export function timelineOf(replay: Replay, stuckThresholdMs = 15_000): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let screen: ScreenEvidence | null = null;
  let memory: StatusMemory | null = null;
  let recheckAt: number | null = null;
  const step = (now: number): void => {
    const evidence: Evidence = { process: null, screen, hooks: NO_HOOKS, registry: null };
    const result = advanceStatus(memory, { evidence, now, stuckThresholdMs });
    const hasMoved = memory?.primary !== result.memory.primary || memory?.detail !== result.memory.detail;
    memory = result.memory;
    recheckAt = result.recheckAt;
    const { primary, detail, because } = memory;
    if (hasMoved) entries.push({ at: now, primary, detail, rule: because.rule, evidence: because.evidence });
  };
  const runUntil = (time: number): void => {
    while (recheckAt !== null && recheckAt <= time) step(recheckAt);
  };
  for (const { at, frame } of replay.frames) {
    runUntil(at - 1);
    screen = observeScreen(screen, frame, at);
    step(at);
  }
  runUntil(replay.durationMs + 60_000);
  return entries;
}

function readLabels(base: string): Label[] {
  return readFileSync(`${base}.labels.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Label);
}

/** Details that a waiting session must show, by scene. */
const WAITING_DETAIL: Readonly<Record<string, Detail>> = {
  ask: 'question',
  plan: 'plan',
  trust: 'setup',
  permission: 'permission',
  deny: 'permission',
  write: 'permission',
};

function isRight(truth: string, said: TimelineEntry | null, scene: string): boolean {
  const primary = said?.primary ?? null;
  if (truth === 'waiting-or-idle') return primary === 'waiting' || primary === 'idle';
  if (truth === 'error') return primary === 'idle' && said?.detail === 'error';
  // A menu that the user opened may be either.
  if (truth === 'idle' && scene === 'slash') return primary === 'idle' || primary === 'waiting';
  return primary === truth;
}

function scoreTimeline(
  timeline: TimelineEntry[],
  labels: readonly Label[],
  scene: string,
): Omit<SceneScore, 'version'> {
  const states = labels.filter((label) => label.state !== undefined);
  const endMs = (labels.at(-1)?.t ?? 0) * 1_000;
  const wrong = new Map<string, number>();
  const waiting = { samples: 0, right: 0 };
  const strict = { samples: 0, right: 0 };
  const lagsMs: number[] = [];
  let samples = 0;
  let right = 0;
  const saidAt = (time: number): TimelineEntry | null => timeline.findLast((entry) => entry.at <= time) ?? null;
  for (const [index, label] of states.entries()) {
    const truth = label.state ?? '';
    if (truth === 'starting' || truth === 'dead') continue;
    const fromMs = label.t * 1_000;
    const toMs = (states[index + 1]?.t ?? Number.POSITIVE_INFINITY) * 1_000;
    for (let time = fromMs + AFTER_CHANGE_MS; time < Math.min(toMs, endMs); time += SAMPLE_MS) {
      const said = saidAt(time);
      strict.samples++;
      if (isRight(truth, said, scene)) strict.right++;
      if (time >= toMs - BEFORE_CHANGE_MS) continue;
      samples++;
      if (isRight(truth, said, scene)) right++;
      else {
        const key = `${truth} → ${said?.primary ?? 'unknown'}/${said?.detail ?? ''} (${said?.rule ?? ''})`;
        wrong.set(key, (wrong.get(key) ?? 0) + 1);
      }
      const detail = WAITING_DETAIL[scene];
      if (truth === 'waiting' && detail !== undefined) {
        waiting.samples++;
        if (said?.detail === detail) waiting.right++;
      }
    }
    const before = saidAt(fromMs);
    const first = isRight(truth, before, scene)
      ? fromMs
      : timeline.find((entry) => entry.at > fromMs && entry.at < toMs && isRight(truth, entry, scene))?.at;
    if (first !== undefined) lagsMs.push(first - fromMs);
  }
  return { scene, samples, right, strict, wrong, waiting, lagsMs, timeline };
}

/** Scores one recording, `DIRECTORY/VERSION/SCENE`, from the screen alone. */
export async function scoreRecording(directory: string, version: string, scene: string): Promise<SceneScore> {
  const base = join(directory, version, scene);
  const timeline = timelineOf(await replayRecording(base));
  return { version, ...scoreTimeline(timeline, readLabels(base), scene) };
}

/** Scores every labelled recording below a directory, laid out as `VERSION/SCENE.*`. */
export async function scoreDirectory(directory: string): Promise<SceneScore[]> {
  const scores: SceneScore[] = [];
  for (const version of readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const scenes = readdirSync(join(directory, version.name))
      .filter((name) => name.endsWith('.labels.jsonl'))
      .map((name) => name.slice(0, -'.labels.jsonl'.length));
    for (const scene of scenes.sort()) scores.push(await scoreRecording(directory, version.name, scene));
  }
  return scores;
}

export interface Figures {
  samples: number;
  /** part of the samples whose primary is right, 0 to 1 */
  right: number;
  /** the same without the tolerance before a change of the truth */
  strict: number;
  /** part of the waiting samples whose detail is right, 0 to 1 */
  waitingDetail: number;
  medianLagMs: number;
  p90LagMs: number;
}

/** Sums scores up. */
export function figuresOf(scores: readonly SceneScore[]): Figures {
  const sum = (pick: (score: SceneScore) => number): number => scores.reduce((total, score) => total + pick(score), 0);
  const lags = scores.flatMap((score) => score.lagsMs).sort((a, b) => a - b);
  const quantile = (part: number): number => lags[Math.min(lags.length - 1, Math.floor(lags.length * part))] ?? 0;
  const waiting = sum((score) => score.waiting.samples);
  const samples = sum((score) => score.samples);
  return {
    samples,
    right: samples === 0 ? 1 : sum((score) => score.right) / samples,
    strict:
      sum((score) => score.strict.right) /
      Math.max(
        1,
        sum((score) => score.strict.samples),
      ),
    waitingDetail: waiting === 0 ? 1 : sum((score) => score.waiting.right) / waiting,
    medianLagMs: quantile(0.5),
    p90LagMs: quantile(0.9),
  };
}

/** A table for people: figures per version, then what was wrong where. */
export function describeScores(scores: readonly SceneScore[]): string {
  const percent = (part: number): string => `${(part * 100).toFixed(2)} %`;
  const versions = [...new Set(scores.map((score) => score.version))];
  const rows = versions.map((version) => {
    const figures = figuresOf(scores.filter((score) => score.version === version));
    return `${version.padEnd(10)} ${percent(figures.right).padStart(9)} of ${String(figures.samples).padStart(5)}  strict ${percent(figures.strict)}  waiting detail ${percent(figures.waitingDetail)}  lag ${Math.round(figures.medianLagMs)} ms, p90 ${Math.round(figures.p90LagMs)} ms`;
  });
  const faults = scores
    .filter((score) => score.wrong.size > 0 || score.waiting.right < score.waiting.samples)
    .map((score) => {
      const wrong = [...score.wrong].map(([what, count]) => `${what} ×${count}`).join(', ');
      return `${score.version} ${score.scene}: ${score.right}/${score.samples} waiting ${score.waiting.right}/${score.waiting.samples}  ${wrong}`;
    });
  return [...rows, ...faults].join('\n');
}
