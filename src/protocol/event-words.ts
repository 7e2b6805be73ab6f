/**
 * What the text of a `user` event means: either the user's own words, or text that Claude Code wrote on the user's
 * behalf.
 */
export interface UserText {
  kind: 'prompt' | 'note';
  text: string;
}

/**
 * Interprets the text of a `user` event. Claude Code (2.1.329) wraps a slash command in tags, sends the command's
 * output as a separate user message, and passes the summary of a compacted conversation to the model as if the user had
 * written it.
 * @param event the event that contains the text
 * @returns null for text that is meant only for the model
 */
export function readUserText(event: Readonly<Record<string, unknown>>, text: string): UserText | null {
  if (text.startsWith('[Request interrupted')) return { kind: 'note', text };
  if (event.isSynthetic === true) return null;
  const command = tagged(text, 'command-name');
  if (command !== null) {
    return { kind: 'prompt', text: [command, tagged(text, 'command-args') ?? ''].join(' ').trim() };
  }
  const printed = tagged(text, 'local-command-stdout') ?? tagged(text, 'local-command-stderr');
  return printed === null ? { kind: 'prompt', text } : { kind: 'note', text: printed };
}

/** Recognize tags only at the beginning of the text, because users may also mention them in their own prompts. */
function tagged(text: string, tag: string): string | null {
  if (!/^<(?:command|local-command)-/.test(text)) return null;
  const open = text.indexOf(`<${tag}>`);
  const close = text.indexOf(`</${tag}>`, open);
  return open === -1 || close === -1 ? null : text.slice(open + tag.length + 2, close).trim();
}

/**
 * Returns why and when a request will be retried, for a `system` event of the subtype `api_retry` (2.1.329):
 * `overloaded (529): try 2 of 10 in 1 s`. The delays between retries grow to as much as 40 s, and the user must not
 * mistake them for thinking.
 */
export function retryWords(event: Readonly<Record<string, unknown>>): string {
  const { error, error_status: status, attempt, max_retries: most, retry_delay_ms: delayMs } = event;
  const reason = typeof error === 'string' ? error : 'the request failed';
  const code = typeof status === 'number' ? ` (${status})` : '';
  return `${reason}${code}: try ${Number(attempt)} of ${Number(most)} in ${Math.round(Number(delayMs) / 1_000)} s`;
}

/**
 * Returns the cost, in dollars, of the turn that a `result` ends. `total_cost_usd` is a running total. A process that
 * exits normally passes its total on to the next process, but a killed process does not. The result is therefore the
 * turn's own cost if this version of Claude Code reports it (2.1.329 does), and otherwise the increase in the total
 * since the previous result.
 * @param totalBeforeUsd the total in the previous result, or 0 if there was none
 */
export function turnDollars(result: Readonly<Record<string, unknown>>, totalBeforeUsd: number): number {
  const { model_usage_since_last_result: perModel, total_cost_usd: sum } = result;
  if (typeof perModel === 'object' && perModel !== null) {
    return Object.values(perModel).reduce((dollars: number, model) => dollars + (Number(model?.costUSD) || 0), 0);
  }
  const total = typeof sum === 'number' && Number.isFinite(sum) ? sum : 0;
  return total >= totalBeforeUsd ? total - totalBeforeUsd : total;
}
