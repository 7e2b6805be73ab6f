import type { Because, Question } from '../../protocol/index.ts';
import { arbitrate } from './arbitrate/arbitrate.ts';
import { earliest, isClosing } from './arbitrate/arbitration.ts';
import { type Hearing, hear } from './arbitrate/hearing.ts';
import { dialogKindOf } from './asked-call.ts';
import { drawnForm, type FormQueue, formQueue, formsBehind, withForms } from './asked-forms.ts';
import type { Evidence, HookEvidence, PendingTool, SourceVerdict, Verdict } from './evidence.ts';
import { requestedTool } from './hooks/hook-rules.ts';
import { isAskedBeside } from './hooks/hooks.ts';
import { isInterrupted, withoutQuestion } from './interrupted.ts';
import { jsonQuestions } from './json/json-question.ts';
import { limitInForce } from './limit.ts';
import type { Millis } from './millis.ts';
import { asClosing, dialogQuestion, drawnDialog } from './question.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';
import { DEFAULT_THRESHOLDS, type Thresholds } from './thresholds.ts';
import { longestWaiting, toolBehind } from './tool-behind.ts';

const UNKNOWN: Because = { source: 'none', rule: 'none', evidence: '' };

/**
 * Derives the verdict from the evidence at one moment. The function is pure and keeps no state, so the same evidence
 * and time always yield the same verdict. Health and stuck are determined later, by `advanceStatus`.
 */
export function derive(evidence: Evidence, now: Millis, thresholds: Thresholds = DEFAULT_THRESHOLDS): Verdict {
  const hearing = hear(evidence, now, thresholds);
  const { winner: heard, recheckAt } = arbitrate(hearing);
  const mayBeInterrupted = heard !== null && (heard.primary === 'idle' || isClosing(heard));
  const wasInterrupted = mayBeInterrupted && isInterrupted(hearing.evidence);
  const winner = heard !== null && wasInterrupted ? withoutQuestion(heard) : heard;
  if (winner === null) return { primary: null, detail: null, because: UNKNOWN, ...NOTHING_ASKED, recheckAt };
  const { primary, detail, source, rule } = winner;
  const because = { source, rule, evidence: winner.evidence };
  const limit = limitInForce(winner, evidence, now);
  if (limit !== null) {
    const { endsAt } = limit;
    return { primary: 'waiting', detail: 'limit', because, ...NOTHING_ASKED, recheckAt: earliest(recheckAt, endsAt) };
  }
  const queue = formQueue(evidence.hooks, hearing.evidence.screen, now);
  const verdict = {
    ...{ primary, detail, because, ...askedBy(winner, hearing, queue), recheckAt },
    ...(wasInterrupted && primary === 'idle' && detail === 'waiting_input' ? { isInterrupted: true as const } : {}),
  };
  const mayAsk = winner.source !== 'process' && winner.source !== 'json';
  return mayAsk ? withForms(verdict, evidence.hooks, queue) : verdict;
}

type Asked = Pick<Verdict, 'question' | 'questions' | 'wait' | 'drawn' | 'called'>;

const NOTHING_ASKED: Asked = { question: null, questions: [], wait: null, drawn: null, called: null };

/**
 * Returns the questions of the agents whose dialogs Claude Code does not show. It shows one dialog at a time, and if
 * several agents ask within a moment, in any order (2.1.330). No hook reports a no, so a question whose dialog has been
 * shown before may be answered; `identify` leaves it out.
 */
function questionsBehind(open: PendingTool | null, { tools }: HookEvidence, movedMs: number): Question[] {
  return tools
    .filter((tool) => isAskedBeside(tool) && tool !== open)
    .map((tool) => {
      const openedAt = tool.requestedAt ?? tool.at;
      const kind = dialogKindOf(tool.name);
      return { ...dialogQuestion({ kind, dialog: null, tool, openedAt, movedMs }), behind: true };
    });
}

function askedBy(winner: SourceVerdict, { evidence, settled }: Hearing, queue: FormQueue): Asked {
  const { primary, detail } = winner;
  const { movedMs = 0, hooks } = evidence;
  if (primary !== 'waiting' || detail === null) return NOTHING_ASKED;
  const inWords = (questions: readonly Question[]): Asked => ({
    ...NOTHING_ASKED,
    question: questions[0] ?? null,
    questions,
  });
  if (isClosing(winner)) return inWords([asClosing({ text: winner.evidence, endedAt: winner.since, movedMs })]);
  if (evidence.json !== undefined) return inWords(jsonQuestions(evidence.json));
  const dialog = settled?.reading.dialog ?? null;
  const openedAt = dialog === null ? winner.since : (settled?.since ?? winner.since);
  const form = dialog === null ? null : drawnForm(dialog, hooks, { openedAt, movedMs });
  if (form !== null) {
    const behind = questionsBehind(null, hooks, movedMs);
    const questions = [form.question, ...behind, ...formsBehind(queue, form)];
    return { ...inWords(questions), drawn: form.drawn, called: form.called };
  }
  if (detail !== 'permission' && detail !== 'question' && detail !== 'plan' && detail !== 'setup') return NOTHING_ASKED;
  const ask = (shown: ScreenDialog | null, tool: PendingTool | null): Asked => {
    const question = dialogQuestion({ kind: detail, dialog: shown, tool, openedAt, movedMs });
    // If CBOS does not know which call a permission dialog shows, it may be any of the open requests.
    const isUnknown = tool === null && detail === 'permission';
    const behind = isUnknown ? [] : questionsBehind(tool, hooks, movedMs);
    const questions = [question, ...behind, ...formsBehind(queue, null)];
    const drawn = shown && drawnDialog({ kind: detail, dialog: shown, openedAt, movedMs });
    const called = tool && { at: tool.at - movedMs, isAsked: tool.requestedAt !== null };
    return { question, questions, wait: tool?.wait?.id ?? null, drawn, called };
  };
  // If the detailed transcript covers the dialog, only the hook knows what the dialog asks.
  const isCovered = dialog?.parts.every((part) => part.options.length === 0) === true;
  if (dialog !== null && !(isCovered && winner.source === 'hook')) {
    const shown = { ...dialog, kind: detail };
    const tool = toolBehind(shown, hooks.tools);
    // If several calls are open, CBOS does not know which one the dialog shows. A reply still reaches the right call,
    // because the reply names the call.
    const waiting = tool === null ? longestWaiting(shown, hooks.tools) : null;
    return waiting === null ? ask(shown, tool) : ask(null, waiting);
  }
  // The hook arrives a few milliseconds before the dialog is drawn.
  const tool = winner.source === 'hook' ? requestedTool(hooks) : null;
  return tool === null ? NOTHING_ASKED : ask(null, tool);
}
