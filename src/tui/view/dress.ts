import { type Style, type StyleName, styled } from '../../text/style.ts';

const WITHOUT_COLOURS: ReadonlySet<StyleName> = new Set(['bold', 'dim', 'inverse']);

/** @param hasColours false if NO_COLOR is set; bold, dim, and inverse are still used */
export function dressFor(hasColours: boolean): Style {
  return hasColours ? styled : (name, text) => (name !== null && WITHOUT_COLOURS.has(name) ? styled(name, text) : text);
}
