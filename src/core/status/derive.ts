import type { Because, Question } from '../../protocol/index.ts';
import { arbitrate, type Voices } from './arbitrate.ts';
import type { Evidence, Millis, SourceVerdict, Verdict } from './evidence.ts';
import { requestedTool } from './hook-rules.ts';
import { jsonQuestion } from './json-question.ts';
import { asClosing, closingQuestion, dialogQuestion, toolBehind } from './question.ts';
import { isUserRule } from './rule.ts';
import { companyOf, settledReading } from './screen.ts';
import { hookVerdict, jsonVerdict, processVerdict, registryVerdict } from './source-rules.ts';

/** What the screen says; null when there is none. */
function screenVerdict({ screen, hooks }: Evidence, now: Millis): SourceVerdict | null {
  if (screen === null) return null;
  const { reading, since } = settledReading(screen, now, companyOf(hooks));
  const { primary, detail, rule, evidence } = reading;
  const closing =
    primary === 'idle' && detail === 'waiting_input' && !isUserRule(rule) ? closingQuestion(reading.lastMessage) : null;
  if (closing !== null) {
    return {
      source: 'screen',
      primary: 'waiting',
      detail: 'question',
      rule: 'screen.prompt.closing',
      evidence: closing,
      since,
    };
  }
  const source = isUserRule(rule) ? 'user' : 'screen';
  return { source, primary: primary === 'stuck' ? null : primary, detail, rule, evidence, since };
}

/** What each source says by itself. */
export function voicesOf(evidence: Evidence, now: Millis): Voices {
  return {
    process: processVerdict(evidence.process),
    json: jsonVerdict(evidence.json),
    hook: hookVerdict(evidence.hooks),
    screen: screenVerdict(evidence, now),
    registry: registryVerdict(evidence.registry, evidence.process?.startedAt ?? null),
  };
}

const UNKNOWN: Because = { source: 'none', rule: 'none', evidence: '' };

/**
 * What the evidence says at a moment. Pure and without memory: the same evidence and time always give the same verdict.
 * Health and stuck are not decided here, see `advanceStatus`.
 */
export function derive(evidence: Evidence, now: Millis): Verdict {
  const { winner, recheckAt } = arbitrate(voicesOf(evidence, now), evidence, now);
  if (winner === null) return { primary: null, detail: null, because: UNKNOWN, question: null, recheckAt };
  const { primary, detail, source, rule } = winner;
  const because = { source, rule, evidence: winner.evidence };
  return { primary, detail, because, question: questionOf(winner, evidence, now), recheckAt };
}

function questionOf(winner: SourceVerdict, evidence: Evidence, now: Millis): Question | null {
  const { primary, detail } = winner;
  if (primary !== 'waiting' || detail === null) return null;
  if (winner.rule.endsWith('.closing')) return asClosing(winner.evidence, winner.since);
  if (evidence.json !== undefined) return jsonQuestion(evidence.json);
  const dialog =
    evidence.screen === null ? null : settledReading(evidence.screen, now, companyOf(evidence.hooks)).reading.dialog;
  const openedAt = winner.since;
  if (detail !== 'permission' && detail !== 'question' && detail !== 'plan' && detail !== 'setup') return null;
  // What a transcript covers is known to the hook alone.
  const isCovered = dialog?.parts.every((part) => part.options.length === 0) === true;
  if (dialog !== null && !(isCovered && winner.source === 'hook')) {
    const shown = { ...dialog, kind: detail };
    return dialogQuestion({ kind: detail, dialog: shown, tool: toolBehind(shown, evidence.hooks.tools), openedAt });
  }
  // The hook is some milliseconds ahead of the screen: what is asked is known, the options are not drawn yet.
  const tool = winner.source === 'hook' ? requestedTool(evidence.hooks) : null;
  return tool === null ? null : dialogQuestion({ kind: detail, dialog: null, tool, openedAt });
}
