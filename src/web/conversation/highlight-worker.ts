import { type CodeToColour, colourCode, type Highlighted } from './highlight.ts';

/**
 * Colours code beside the page: the first code of a language alone takes 60 ms (its expressions are compiled), a long
 * file more, and nobody's click or key waits for that.
 */

export interface ColourRequest extends CodeToColour {
  id: number;
}

/** `lines` is null where the language is not known. */
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
