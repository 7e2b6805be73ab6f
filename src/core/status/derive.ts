import type { Because, Question } from '../../protocol/index.ts';
import { arbitrate } from './arbitrate/arbitrate.ts';
import { isClosing } from './arbitrate/arbitration.ts';
import { type Hearing, hear } from './arbitrate/hearing.ts';
import type { Evidence, Millis, SourceVerdict, Verdict } from './evidence.ts';
import { requestedTool } from './hooks/hook-rules.ts';
import { jsonQuestion } from './json/json-question.ts';
import { asClosing, dialogQuestion, toolBehind } from './question.ts';
import { DEFAULT_THRESHOLDS, type Thresholds } from './thresholds.ts';

const UNKNOWN: Because = { source: 'none', rule: 'none', evidence: '' };

/**
 * What the evidence says at a moment. Pure and without memory: the same evidence and time always give the same verdict.
 * Health and stuck are not decided here, see `advanceStatus`.
 */
export function derive(evidence: Evidence, now: Millis, thresholds: Thresholds = DEFAULT_THRESHOLDS): Verdict {
  const hearing = hear(evidence, now, thresholds);
  const { winner, recheckAt } = arbitrate(hearing);
  if (winner === null) return { primary: null, detail: null, because: UNKNOWN, question: null, recheckAt };
  const { primary, detail, source, rule } = winner;
  const because = { source, rule, evidence: winner.evidence };
  return { primary, detail, because, question: questionOf(winner, hearing), recheckAt };
}

function questionOf(winner: SourceVerdict, { evidence, settled }: Hearing): Question | null {
  const { primary, detail } = winner;
  const { movedMs = 0 } = evidence;
  if (primary !== 'waiting' || detail === null) return null;
  if (isClosing(winner)) return asClosing({ text: winner.evidence, endedAt: winner.since, movedMs });
  if (evidence.json !== undefined) return jsonQuestion(evidence.json);
  const dialog = settled?.reading.dialog ?? null;
  const opened = { openedAt: winner.since, movedMs };
  if (detail !== 'permission' && detail !== 'question' && detail !== 'plan' && detail !== 'setup') return null;
  // What the detailed transcript covers is known to the hook alone.
  const isCovered = dialog?.parts.every((part) => part.options.length === 0) === true;
  if (dialog !== null && !(isCovered && winner.source === 'hook')) {
    const shown = { ...dialog, kind: detail };
    return dialogQuestion({ kind: detail, dialog: shown, tool: toolBehind(shown, evidence.hooks.tools), ...opened });
  }
  // The hook is some milliseconds ahead of the screen: what is asked is known, the options are not drawn yet.
  const tool = winner.source === 'hook' ? requestedTool(evidence.hooks) : null;
  return tool === null ? null : dialogQuestion({ kind: detail, dialog: null, tool, ...opened });
}
