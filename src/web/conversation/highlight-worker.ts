import { type CodeToColour, colourCode, type Highlighted } from './highlight.ts';

/**
 * Highlights code outside the page's main thread. The first code in each language takes 60 ms, because the language's
 * regular expressions must be compiled, and a long file takes longer. No click or keypress should have to wait for
 * that.
 */

export interface ColourRequest extends CodeToColour {
  id: number;
}

/** `lines` is null if the language is unknown. */
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
