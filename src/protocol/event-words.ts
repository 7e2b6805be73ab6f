/** What a text of a `user` event is to people: what they said, or what Claude Code says in their name. */
export interface UserText {
  kind: 'prompt' | 'note';
  text: string;
}

/**
 * Reads one. Claude Code (2.1.329) wraps a slash command in tags, lets what it prints come as a user's text of its own,
 * and gives the summary of a compacted conversation to the model in the user's name.
 * @param event the event that it is in
 * @returns null for what is meant for the model alone
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

/** Only where the text begins with tags: a person may write about them. */
function tagged(text: string, tag: string): string | null {
  if (!/^<(?:command|local-command)-/.test(text)) return null;
  const open = text.indexOf(`<${tag}>`);
  const close = text.indexOf(`</${tag}>`, open);
  return open === -1 || close === -1 ? null : text.slice(open + tag.length + 2, close).trim();
}

/**
 * Why a request is tried again and when, of a `system` event `api_retry` (2.1.329): `overloaded (529): try 2 of 10 in 1
 * s`. Waits grow to 40 s: who looks on must not take them for thinking.
 */
export function retryWords(event: Readonly<Record<string, unknown>>): string {
  const { error, error_status: status, attempt, max_retries: most, retry_delay_ms: delayMs } = event;
  const reason = typeof error === 'string' ? error : 'the request failed';
  const code = typeof status === 'number' ? ` (${status})` : '';
  return `${reason}${code}: try ${Number(attempt)} of ${Number(most)} in ${Math.round(Number(delayMs) / 1_000)} s`;
}

/**
 * Dollars of the turn that a `result` ends. Its `total_cost_usd` is a sum that a process which was ended in good order
 * hands to the next one, while one that was killed hands nothing on; so what the turn itself took is believed first
 * (2.1.329 has it), and where a version does not tell it, the part of the sum since the last result.
 * @param totalBeforeUsd the sum of the result before, 0 where there was none
 */
export function turnDollars(result: Readonly<Record<string, unknown>>, totalBeforeUsd: number): number {
  const { model_usage_since_last_result: perModel, total_cost_usd: sum } = result;
  if (typeof perModel === 'object' && perModel !== null) {
    return Object.values(perModel).reduce((dollars: number, model) => dollars + (Number(model?.costUSD) || 0), 0);
  }
  const total = typeof sum === 'number' && Number.isFinite(sum) ? sum : 0;
  return total >= totalBeforeUsd ? total - totalBeforeUsd : total;
}
