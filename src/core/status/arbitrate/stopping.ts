import type { SourceVerdict } from '../evidence.ts';
import { type Arbitration, final, isClosing, until } from './arbitration.ts';
import type { FullHearing, Hearing } from './hearing.ts';
import { UNSEEN_END_LAG_MS } from './races.ts';

/** The rules that read a `Stop` hook. A failed turn fires `StopFailure`, which no other hook can overrule. */
const STOP_RULES: ReadonlySet<string> = new Set(['hook.Stop', 'hook.Stop.closing']);

/** Reports whether the registry still contains the record that Claude Code wrote when the turn began. */
function isStillBusy(hook: SourceVerdict, registry: SourceVerdict | null): registry is SourceVerdict {
  return STOP_RULES.has(hook.rule) && registry?.primary === 'active' && registry.since <= hook.since;
}

/**
 * Decides whether a `Stop` hook was really the end of the turn, or returns null if the hook counts. All `Stop` hooks
 * run at the same time, and any of the user's own may block. The turn then continues, and no hook reports that. The
 * payload of CBOS's own hook therefore only announces the end. Claude Code shows its spinner and keeps `busy` in the
 * registry until no `Stop` hook blocks any more, and writes `idle` 20 to 150 ms after the last one (2.1.330).
 */
export function whileStopping({ hook, screen, registry, ...hearing }: FullHearing): Arbitration | null {
  const { shown, evidence, now, thresholds } = hearing;
  if (!isStillBusy(hook, registry)) return null;
  if (screen.primary === 'active')
    return final(stillRunning(screen), 'the registry and the screen still report the turn that the hook ended');
  const isPrompt = screen.primary === 'idle' || isClosing(screen);
  if (!isPrompt || evidence.registry?.statusUpdatedAt == null) return null;
  // While the prompt contains a draft, Claude Code 2.1.329 shows neither the spinner nor the hint.
  if (shown.reading.draft !== null)
    return final(registry, 'a draft in the prompt hides the signs of a turn, so the registry decides');
  if (screen.since > hook.since) return null;
  return until(hook.since + thresholds.drawLagMs, now, {
    first: registry,
    later: hook,
    whyFirst: 'the screen is from before the hook, and the registry still reports a turn',
    whyLater: 'the screen shows no turn, and the hook reports its end',
  });
}

/** The same without a verdict from the screen. The registry counts only for a while, as its record may be stale. */
export function whileStoppingUnseen(hearing: Hearing & { hook: SourceVerdict }): Arbitration | null {
  const { hook, registry, evidence, now } = hearing;
  if (!isStillBusy(hook, registry) || evidence.registry?.statusUpdatedAt == null) return null;
  return until(hook.since + UNSEEN_END_LAG_MS, now, {
    first: registry,
    later: hook,
    whyFirst: 'the registry still reports a turn: another hook may have prolonged it',
    whyLater: "the hook is newer than the registry's report",
  });
}

/** The screen shows the output of a `Stop` hook like that of a tool, but no tool is running at the end of a turn. */
const stillRunning = (screen: SourceVerdict): SourceVerdict =>
  screen.detail === 'using_tools' ? { ...screen, detail: 'thinking' } : screen;
