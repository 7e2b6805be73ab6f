import type { AskedInput } from './approvals.ts';

/** Returns the whole tool call as the hook passed it on; null if the hook is no longer waiting. */
export function askedIn(payload: unknown): AskedInput | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { tool_name: tool, tool_input: input, cwd } = payload as Readonly<Record<string, unknown>>;
  if (typeof tool !== 'string') return null;
  return { tool, input, isWhole: true, cwd: typeof cwd === 'string' ? cwd : null };
}
