import { type CodeToColour, colourCode, type Highlighted } from './highlight.ts';

/**
 * Colours code outside the page's thread. The first code in a language takes 60 ms (its regular expressions are
 * compiled), and a long file takes longer. No click or keypress should have to wait for that.
 */

export interface ColourRequest extends CodeToColour {
  id: number;
}

/** `lines` is null if the language is not known. */
export type ColourAnswer = { id: number } & ({ lines: Highlighted | null } | { problem: string });

addEventListener('message', ({ data }: MessageEvent<ColourRequest>) => {
  const { id } = data;
  colourCode(data).then(
    (lines) => answer({ id, lines }),
    (error: unknown) => answer({ id, problem: String(error) }),
  );
});

function answer(text: ColourAnswer): void {
  postMessage(text);
}
