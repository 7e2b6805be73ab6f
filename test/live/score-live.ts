import { isRight, waitingDetailOf } from '../harness/accuracy.ts';
import type { TimedLabel } from '../recordings/truth.ts';
import type { Announced, LiveRun } from './play-live.ts';

/** How long after a change of the truth a status is scored, on an otherwise idle machine. */
const AFTER_CHANGE_MS = 1_000;
/** The time between samples. It is shorter than for a recording, because short moments count here. */
const SAMPLE_MS = 50;
/**
 * How long after its effect a keypress or a request may get its label. A keypress passes through the server, Screen,
 * and the program before its label is written. For this long before a label, both its state and the previous one count
 * as right.
 */
const BEFORE_LABEL_MS = 300;
/** The shortest time that a status may last, unless the session really passed through it. */
const SHORTEST_MS = 300;

export interface LiveScore {
  samples: number;
  right: number;
  /**
   * for each change of the truth, how much later the right status came, in milliseconds; 0 if it was already there
   */
  lagsMs: number[];
  /** the errors, one per line, for people to read */
  faults: string[];
}

type StateLabel = Extract<TimedLabel, { state: string }>;

const wordOf = ({ primary, detail, because }: Announced): string => `${primary}/${detail} (${because.rule})`;

/** Reports whether a status matches a label. A waiting session must also report the right detail. */
function fits(label: StateLabel, said: Announced, scene: string): boolean {
  const { state } = label;
  if (!isRight(state, said, scene)) return false;
  if (state !== 'waiting') return true;
  const detail = label.detail ?? waitingDetailOf(scene);
  return detail === undefined || said.detail === detail;
}

/**
 * Scores the server's status along a run, every 50 ms from one second (or the requested time) after each change of
 * the truth.
 */
export function scoreLive(
  { scene, labels, announced, endedAt }: LiveRun,
  afterChangeMs: number = AFTER_CHANGE_MS,
): LiveScore {
  const states = labels.filter((label): label is StateLabel => 'state' in label);
  const startedAt = states[0]?.at ?? 0;
  const score: LiveScore = { samples: 0, right: 0, lagsMs: [], faults: [] };
  const time = (at: number): string => `${((at - startedAt) / 1_000).toFixed(2)} s`;
  for (const [index, label] of states.entries()) {
    if (label.state === 'starting') continue;
    const next = states[index + 1];
    const end = next?.at ?? endedAt;
    let wrongSince: { at: number; said: Announced | undefined } | null = null;
    for (let at = label.at + afterChangeMs; at < end; at += SAMPLE_MS) {
      const said = announced.findLast((one) => one.at <= at);
      const isNextAlready =
        said !== undefined && next !== undefined && at >= next.at - BEFORE_LABEL_MS && fits(next, said, scene);
      const isGood = said !== undefined && (fits(label, said, scene) || isNextAlready);
      score.samples++;
      if (isGood) score.right++;
      else wrongSince ??= { at, said };
    }
    if (wrongSince !== null) {
      const said = wrongSince.said === undefined ? 'nothing' : wordOf(wrongSince.said);
      score.faults.push(`${time(wrongSince.at)}: ${said} where it is ${label.state} (${label.why})`);
    }
    const lag = lagOf(label, end, { scene, announced });
    if (lag !== null) score.lagsMs.push(lag);
  }
  return {
    ...score,
    faults: [...score.faults, ...flapsOf(states, announced, endedAt).map((at) => `${time(at.at)}: ${at.word}`)],
  };
}

/** Lists the true states and the reported ones by time, to show how an error came about. */
export function describeRun({ labels, announced }: LiveRun): string[] {
  const startedAt = labels[0]?.at ?? 0;
  const truth = labels.map((label) => ({
    at: label.at,
    text: 'state' in label ? `is ${label.state}: ${label.why}` : `     ${label.event} ${label.tag}`,
  }));
  const said = announced.map((one) => ({
    at: one.at,
    text: `says ${wordOf(one)} ${one.because.evidence.slice(0, 60)}`,
  }));
  return [...truth, ...said]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => `${((at - startedAt) / 1_000).toFixed(3)} ${text}`);
}

function lagOf(
  label: StateLabel,
  end: number,
  { scene, announced }: Pick<LiveRun, 'scene' | 'announced'>,
): number | null {
  const before = announced.findLast((one) => one.at <= label.at);
  if (before !== undefined && fits(label, before, scene)) return 0;
  const first = announced.find((one) => one.at > label.at && one.at < end && fits(label, one, scene));
  return first === undefined ? null : first.at - label.at;
}

/** Returns statuses that lasted only for a moment although the true state did not. */
function flapsOf(
  states: readonly StateLabel[],
  announced: readonly Announced[],
  endedAt: number,
): { at: number; word: string }[] {
  const changes = announced.filter((one, index) => one.primary !== announced[index - 1]?.primary);
  return changes.flatMap((one, index) => {
    const until = changes[index + 1]?.at;
    if (until === undefined || one.primary === null || until - one.at >= SHORTEST_MS) return [];
    const isTrue = states.some((label, at) => {
      const end = states[at + 1]?.at ?? endedAt;
      const isShort = end - label.at < AFTER_CHANGE_MS;
      return (
        isShort && isRight(label.state, one, '') && label.at - BEFORE_LABEL_MS < until && end + BEFORE_LABEL_MS > one.at
      );
    });
    return isTrue ? [] : [{ at: one.at, word: `${wordOf(one)} for ${until - one.at} ms only` }];
  });
}
