import { type Style, type StyleName, styled } from '../../text/style.ts';

const WITHOUT_COLOURS: ReadonlySet<StyleName> = new Set(['bold', 'dim', 'inverse']);

/** @param hasColours false if NO_COLOR is set; bold, dim, and inverse are still used */
export function dressFor(hasColours: boolean): Style {
  return hasColours ? styled : (name, text) => (name !== null && WITHOUT_COLOURS.has(name) ? styled(name, text) : text);
}

/** Returns a row of a list from which the user chooses. */
export function listRow(
  dress: Style,
  text: string,
  { isChosen, style = null }: { isChosen: boolean; style?: StyleName | null },
): string {
  return isChosen ? `${dress('cyan', '▌')} ${dress('inverse', text)}` : `  ${dress(style, text)}`;
}
