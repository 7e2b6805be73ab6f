import type { ScreenFrame } from '../../src/core/status/index.ts';
import type { Replay, Said } from './replay.ts';

/**
 * Two classic ways to read a session's state from its text, which programs of this kind used for years. The first
 * matching pattern decides. Both are kept unchanged and run on the real screen, for comparison with CBOS.
 */

/** How often the screen is polled. A state is believed if two polls agree on it. */
const POLL_MS = 2_000;
const LAST_LINES = 15;
const WORK_LINES = 10;

const PROMPT = [/^>\s*$/, /^> $/, />█$/];
const THINKING = [/[●◐◑◒◓]/, /Thinking/];
const WORKING = [/^[✓✗⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, /^\s*(Bash|Read|Write|Edit|Grep|Glob)\(/, /Running in background/];
const FAILING = [/Error:/, /error:/, /FAILED/, /Exception:/];

const matchesAny = (patterns: readonly RegExp[], text: string): boolean => patterns.some((one) => one.test(text));

/** Returns the lines of a screen dump, without trailing blank lines. */
function dumpOf(frame: ScreenFrame): string[] {
  const last = frame.lines.findLastIndex((line) => line.trim() !== '');
  return frame.lines.slice(0, last + 1);
}

/** Returns one word for the whole screen. The first group with a match decides. */
function oneWord(frame: ScreenFrame): Said {
  const lines = dumpOf(frame);
  const end = lines.slice(-LAST_LINES).join('\n');
  if (matchesAny(PROMPT, lines.at(-1) ?? '')) return { primary: 'waiting', detail: null, isOneWord: true };
  if (matchesAny(THINKING, end)) return { primary: 'active', detail: 'thinking' };
  if (lines.slice(-WORK_LINES).some((line) => matchesAny(WORKING, line)))
    return { primary: 'active', detail: 'using_tools' };
  if (matchesAny(FAILING, end)) return { primary: 'idle', detail: 'error' };
  return { primary: 'idle', detail: null, isOneWord: true };
}

/** Reads one word from polled screen dumps. The first match decides. */
export function firstMatchTimeline({ frames, at }: Replay): { at: number; said: Said }[] {
  const timeline: { at: number; said: Said }[] = [];
  let before: string | null = null;
  for (let time = 0; time <= at + POLL_MS * 2; time += POLL_MS) {
    const shown = frames.findLast((frame) => frame.at <= time);
    if (shown === undefined) continue;
    const said = oneWord(shown.frame);
    const word = JSON.stringify(said);
    if (word === before) timeline.push({ at: time, said });
    before = word;
  }
  return timeline;
}

/** A screen that has not changed for this long counts as stuck, whatever it shows. */
const STUCK_MS = 15_000;

/** Reads primary and detail. The first match in this order decides. */
function twoLevels(frame: ScreenFrame): Said {
  const text = dumpOf(frame).join('\n');
  if (/> [\s\S]*\? for shortcuts/.test(text)) return { primary: 'idle', detail: 'waiting_input' };
  if (/Thinking|∴/.test(text)) return { primary: 'active', detail: 'thinking' };
  if (/●\s+[A-Z]/.test(text)) return { primary: 'active', detail: 'using_tools' };
  if (/Compacting conversation/.test(text)) return { primary: 'active', detail: 'compacting' };
  if (/❯[\s\S]*\b(?:Yes|No)\b|\(y\/n\)/.test(text)) return { primary: 'waiting', detail: 'permission' };
  if (/Would you like|Which /.test(text)) return { primary: 'waiting', detail: 'question' };
  return text.trim() === '' ? { primary: null, detail: null } : { primary: 'active', detail: 'responding' };
}

/** Reads two levels at every redraw. The first match decides. A session is stuck after 15 s without a change. */
export function twoLevelTimeline({ frames, at }: Replay): { at: number; said: Said }[] {
  const timeline: { at: number; said: Said }[] = [];
  for (const [index, shown] of frames.entries()) {
    timeline.push({ at: shown.at, said: twoLevels(shown.frame) });
    const nextAt = frames[index + 1]?.at ?? at + STUCK_MS * 2;
    if (nextAt - shown.at > STUCK_MS)
      timeline.push({ at: shown.at + STUCK_MS, said: { primary: 'stuck', detail: null } });
  }
  return timeline;
}
