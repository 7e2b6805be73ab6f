import { isPlaceholderFor } from '../../core/delivery/box.ts';
import type { DeliveryRecord } from '../../platform/sqlite/delivery-store.ts';
import type { Clock } from '../clock.ts';

/** A paste of 200 kB shows some 8 s after it was typed; on a loaded machine later. */
const SHOWN_MS = 15_000;

/**
 * The texts that a killed server was typing into a session, of which a placeholder in its prompt may be one. What a person has pasted looks the same:
 * so a placeholder counts only where it showed soon after the next server had begun, and as long as it is that very one; they are numbered.
 */
export interface TextsLeft {
  mayStandAs(placeholder: string, record: DeliveryRecord): boolean;
}

export function createTextsLeft(records: readonly DeliveryRecord[], clock: Clock): TextsLeft {
  const ids = new Set(records.map(({ id }) => id));
  const begunAt = clock.elapsed();
  let seen: string | null = null;
  return {
    mayStandAs: (placeholder, { id, text }) => {
      if (!ids.has(id) || !isPlaceholderFor(placeholder, text)) return false;
      if (clock.elapsed() - begunAt < SHOWN_MS) seen ??= placeholder;
      return placeholder === seen;
    },
  };
}
