import type { JsonEvidence, OpenPrompt, TrustRequest } from '../evidence.ts';
import type { Millis } from '../millis.ts';

/** Longest text kept of a prompt or message: enough for every rule, whatever a turn produced. */
export const MAX_TEXT = 4_000;
/** Tool calls and prompts remembered while they run; the oldest go first. */
export const MAX_OPEN = 64;

/** A prompt is being written to Claude Code: the turn has begun, though nothing of it has come back. */
export function observePrompt(before: JsonEvidence, prompt: { id: string; at: Millis; text: string }): JsonEvidence {
  const { id, at } = prompt;
  return {
    ...before,
    lastAt: at,
    prompt: { at, text: prompt.text.slice(0, MAX_TEXT) },
    open: [...before.open, { id, at, stage: 'written' as const }].slice(-MAX_OPEN),
    ...(before.busySince === null ? begin(at) : {}),
  };
}

/** Asks whether a folder is trusted; null: it is, or nothing is to be asked any more. */
export function observeTrust(before: JsonEvidence, trust: TrustRequest | null): JsonEvidence {
  return { ...before, trust };
}

/** A turn begins. */
export const begin = (at: Millis): Pick<JsonEvidence, 'busySince' | 'phase'> => ({
  busySince: at,
  phase: { kind: 'thinking', at },
});

/** A prompt that could not be handed over: it is as if it had never been. */
export function withdrawPrompt(before: JsonEvidence, id: string): JsonEvidence {
  const open = before.open.filter((prompt) => prompt.id !== id);
  const isFirst = open.length === 0 && before.turnEnd === null;
  return settle({ ...before, open, prompt: isFirst ? null : before.prompt });
}

/** Without a prompt that is still to be worked on, no turn runs. */
export function settle(evidence: JsonEvidence): JsonEvidence {
  return evidence.open.length > 0 ? evidence : { ...evidence, busySince: null, phase: null };
}

/** Claude Code has a prompt, or works on it. */
export function onPromptStage(before: JsonEvidence, id: string, stage: OpenPrompt['stage']): JsonEvidence {
  return { ...before, open: before.open.map((prompt) => (prompt.id === id ? { ...prompt, stage } : prompt)) };
}

/** The prompts that a result leaves open. A program that never says that it has begun one works on the oldest. */
export function withoutFinished(open: readonly OpenPrompt[]): readonly OpenPrompt[] {
  const rest = open.filter((prompt) => prompt.stage !== 'started');
  return rest.length < open.length ? rest : open.slice(1);
}
