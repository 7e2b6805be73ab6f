import { patchRows } from '../../text/patch-rows.ts';
import type { LanguageName } from '../../text/syntax/languages.ts';
import { colourPatch } from '../../text/syntax/patch-colours.ts';
import { tokeniseText } from '../../text/syntax/tokenise.ts';
import type { Tokens } from '../../text/syntax/tokens.ts';

/**
 * Colours code outside the page's main thread, so that no click or keypress has to wait, not even for hostile code. The
 * languages are part of this script, so the page loads them only when it shows code for the first time.
 */

/** A piece of code in one language, or a patch, whose files name their languages. */
export type CodeToColour = { of: 'code'; text: string; language: LanguageName } | { of: 'patch'; text: string };

export type ColourRequest = CodeToColour & { id: number };

/** The tokens of each line of the code or each row of the patch, or null for a row without colours. */
export interface ColourAnswer {
  id: number;
  lines: (Tokens | null)[];
}

const now = (): number => performance.now();

addEventListener('message', ({ data }: MessageEvent<ColourRequest>) => {
  const lines = data.of === 'code' ? tokeniseText(data.text, data.language, now) : colourRows(data.text);
  postMessage({ id: data.id, lines } satisfies ColourAnswer);
});

function colourRows(patch: string): ColourAnswer['lines'] {
  const rows = patchRows(patch);
  const colours = colourPatch(rows, now);
  return rows.map((_, at) => {
    colours.colour(at);
    return colours.tokens(at);
  });
}
