/**
 * How many characters of a prompt or a message are kept. This is enough for every rule, no matter how much text a turn
 * produces.
 */
export const MAX_TEXT = 4_000;

/** How much of the beginning is kept of a text whose end is kept. A line on the screen is shorter. */
const MAX_BEGIN = 500;

/** Set if a part of a text is missing. */
export interface Cut {
  isCut?: true;
}

/** Set if only the end of a text is kept, and separately its first characters. */
export interface CutEnd extends Cut {
  begin?: string;
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
export const keepEnd = (message: string | null): CutEnd & { message: string | null } => ({
  message: message === null ? null : message.slice(-MAX_TEXT),
  ...cutIf(message ?? ''),
  ...((message?.length ?? 0) > MAX_TEXT ? { begin: message?.slice(0, MAX_BEGIN) ?? '' } : {}),
});

const cutIf = (text: string): Cut => (text.length > MAX_TEXT ? { isCut: true } : {});
