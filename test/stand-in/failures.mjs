// How a failed turn is reported.
import { ConnectionError } from './api.mjs';

/** The fields of a message that no model wrote. */
export const SYNTHETIC = {
  type: 'message',
  role: 'assistant',
  model: '<synthetic>',
  stop_reason: 'stop_sequence',
  stop_sequence: '',
  usage: { input_tokens: 0, output_tokens: 0 },
};

/** How a failed turn is reported. */
export function failureOf(/** @type {any} */ error) {
  if (error instanceof ConnectionError) {
    return {
      error: 'unknown',
      message: 'API Error: Connection error.',
      shown: 'API Error: Connection error.',
      more: {},
    };
  }
  const { status, message } = error;
  if (/credit balance/i.test(message)) {
    const shown = 'Credit balance too low · Add funds: https://platform.claude.com/settings/billing';
    return { error: 'billing_error', message: 'Credit balance is too low', shown, isNote: true, more: {} };
  }
  const text = `API Error: ${status} ${message}`;
  const kinds = /** @type {Record<number, string>} */ ({
    401: 'authentication_failed',
    429: 'rate_limit',
    529: 'server_error',
    500: 'server_error',
  });
  return { error: kinds[status] ?? 'unknown', message: text, shown: text, more: {} };
}
