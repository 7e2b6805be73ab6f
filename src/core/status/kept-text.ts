/**
 * How many characters of a prompt or a message are kept. This is enough for every rule, no matter how much text a turn
 * produces.
 */
export const MAX_TEXT = 4_000;

/** Set if a part of a text is missing. */
export interface Cut {
  isCut?: true;
}

/** Returns a prompt as CBOS keeps it: its beginning. */
export const keepBegin = (text: string): Cut & { text: string } => ({
  text: text.slice(0, MAX_TEXT),
  ...cutIf(text),
});

/**
 * Returns the last message of a turn as CBOS keeps it: its end, because the end shows whether the message is a closing
 * question.
 */
export const keepEnd = (message: string | null): Cut & { message: string | null } => ({
  message: message === null ? null : message.slice(-MAX_TEXT),
  ...cutIf(message ?? ''),
});

const cutIf = (text: string): Cut => (text.length > MAX_TEXT ? { isCut: true } : {});
