import type { JsonEvidence, OpenPrompt, TrustRequest } from '../evidence.ts';
import { keepBegin } from '../kept-text.ts';
import type { Millis } from '../millis.ts';

/** How many running tool calls and open prompts are remembered; the oldest are dropped first. */
export const MAX_OPEN = 64;

/**
 * Records a prompt that CBOS is writing to Claude Code. The turn counts as begun, although none of its events has
 * arrived yet.
 */
export function observePrompt(before: JsonEvidence, prompt: { id: string; at: Millis; text: string }): JsonEvidence {
  const { id, at } = prompt;
  return {
    ...before,
    lastAt: at,
    prompt: { at, ...keepBegin(prompt.text) },
    open: [...before.open, { id, at, stage: 'written' as const }].slice(-MAX_OPEN),
    ...(before.busySince === null ? begin(at) : {}),
  };
}

/** Sets the question of whether to trust a folder, or removes the question if it is null. */
export function observeTrust(before: JsonEvidence, trust: TrustRequest | null): JsonEvidence {
  return { ...before, trust };
}

/** Returns the state of a turn that has just begun. */
export const begin = (at: Millis): Pick<JsonEvidence, 'busySince' | 'phase' | 'isInterrupted'> => ({
  busySince: at,
  phase: { kind: 'thinking', at },
  isInterrupted: false,
});

/** Removes a prompt that could not be sent, as if it had never existed. */
export function withdrawPrompt(before: JsonEvidence, id: string): JsonEvidence {
  const open = before.open.filter((prompt) => prompt.id !== id);
  const isFirst = open.length === 0 && before.turnEnd === null;
  return settle({ ...before, open, prompt: isFirst ? null : before.prompt });
}

/** Ends the turn, provided that no prompt is open. */
export function settle(evidence: JsonEvidence): JsonEvidence {
  return evidence.open.length > 0 ? evidence : { ...evidence, busySince: null, phase: null };
}

/** Records how far an open prompt has progressed. */
export function onPromptStage(before: JsonEvidence, id: string, stage: OpenPrompt['stage']): JsonEvidence {
  return { ...before, open: before.open.map((prompt) => (prompt.id === id ? { ...prompt, stage } : prompt)) };
}

/**
 * Returns the prompts that remain open after a result. Claude Code may never report that it started a prompt, in which
 * case a result that belongs to a prompt belongs to the oldest one.
 */
export function withoutFinished(open: readonly OpenPrompt[], isOfPrompt: boolean): readonly OpenPrompt[] {
  const rest = open.filter((prompt) => prompt.stage !== 'started');
  return rest.length < open.length || !isOfPrompt ? rest : open.slice(1);
}
