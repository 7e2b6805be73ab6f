import { isRight, waitingDetailOf } from '../harness/accuracy.ts';
import type { TimedLabel } from '../recordings/truth.ts';
import type { Announced, LiveRun } from './play-live.ts';

/** A status is scored from this long after a change of the truth on, where the machine does nothing else. */
const AFTER_CHANGE_MS = 1_000;
/** Time between samples: finer than from a recording, for here a moment counts. */
const SAMPLE_MS = 50;
/**
 * Labels of keys and requests are written up to this long after their effect: the key goes through the server, Screen
 * and the program before the label is written. So shortly before a label its word counts as well as the one before.
 */
const BEFORE_LABEL_MS = 300;
/** No status may last for less, unless the session really passed through it. */
const SHORTEST_MS = 300;

export interface LiveScore {
  samples: number;
  right: number;
  /** per change of the truth: how much later the right word came, in milliseconds; 0 where it was there already */
  lagsMs: number[];
  /** what was wrong, a line each, for people */
  faults: string[];
}

type StateLabel = Extract<TimedLabel, { state: string }>;

const wordOf = ({ primary, detail, because }: Announced): string => `${primary}/${detail} (${because.rule})`;

/** Whether a status is what a label says; a waiting one must also know for what. */
function fits(label: StateLabel, said: Announced, scene: string): boolean {
  const { state } = label;
  if (!isRight(state, said, scene)) return false;
  if (state !== 'waiting') return true;
  const detail = label.detail ?? waitingDetailOf(scene);
  return detail === undefined || said.detail === detail;
}

/**
 * How right the server's word was along a run: every 50 ms from one second (or as asked) after a change of the truth
 * on.
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

/** What was true and what was said, by time: to see how a fault came about. */
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

/** Words that stood for a moment only, and that the truth does not know as a moment. */
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
