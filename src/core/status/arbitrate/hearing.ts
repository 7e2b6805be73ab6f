import type { Evidence, SourceVerdict } from '../evidence.ts';
import type { Millis } from '../millis.ts';
import { closingQuestion } from '../question.ts';
import { isUserRule } from '../rule.ts';
import { companyOf, settledReading, settleTimes, untilNow } from '../screen/screen.ts';
import type { ScreenEvidence, SettledReading } from '../screen/screen-evidence.ts';
import { hookVerdict, jsonVerdict, processVerdict, registryVerdict } from '../source-rules.ts';
import type { Thresholds } from '../thresholds.ts';

/**
 * All the evidence at one moment, with the separate verdict of each source. A verdict is null if its source reports
 * nothing.
 */
export interface Hearing {
  evidence: Evidence;
  now: Millis;
  thresholds: Thresholds;
  process: SourceVerdict | null;
  json: SourceVerdict | null;
  hook: SourceVerdict | null;
  screen: SourceVerdict | null;
  registry: SourceVerdict | null;
  /** the screen reading that counts now, and the time when a different one will count */
  settled: (SettledReading & { recheckAt: Millis | null }) | null;
}

/** A hearing with a verdict from the screen. */
export interface ScreenHearing extends Hearing {
  screen: SourceVerdict;
  shown: ScreenEvidence;
}

/** A hearing with verdicts from the hooks and the screen. */
export interface FullHearing extends ScreenHearing {
  hook: SourceVerdict;
}

/** Collects the verdicts of all sources. */
export function hear(evidence: Evidence, now: Millis, thresholds: Thresholds): Hearing {
  const { process, json, hooks, registry } = evidence;
  const screen = evidence.screen && untilNow(evidence.screen, now, thresholds);
  const settled = screen && settledReading(screen, settleTimes(companyOf(hooks), thresholds), now);
  return {
    evidence: { ...evidence, screen },
    now,
    thresholds,
    process: processVerdict(process),
    json: jsonVerdict(json),
    hook: hookVerdict(hooks),
    screen: settled && screenVerdict(settled),
    registry: registryVerdict(registry, process?.startedAt ?? null),
    settled,
  };
}

function screenVerdict({ reading, since }: SettledReading): SourceVerdict {
  const { primary, detail, rule, evidence, lastMessage } = reading;
  if (isUserRule(rule)) return { source: 'user', primary: withoutHealth(primary), detail, rule, evidence, since };
  const closing = primary === 'idle' && detail === 'waiting_input' ? closingQuestion(lastMessage) : null;
  return closing === null
    ? { source: 'screen', primary: withoutHealth(primary), detail, rule, evidence, since }
    : {
        source: 'screen',
        primary: 'waiting',
        detail: 'question',
        rule: 'screen.prompt.closing',
        evidence: closing,
        since,
      };
}

/** Removes `stuck`, which follows from the passage of time and not from anything that a source shows. */
const withoutHealth = (primary: SettledReading['reading']['primary']): SourceVerdict['primary'] =>
  primary === 'stuck' ? null : primary;
