/**
 * Select Graphic Rendition: what switches each on and off. The terminal's own sixteen colours, so that light and dark
 * are the person's choice.
 */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type StyleName = keyof typeof CODES;

/** Dresses a text up, as far as the terminal and the person want it. */
export type Style = (name: StyleName | null, text: string) => string;

/** Every style there is. */
export const styled: Style = (name, text) => {
  if (name === null || text === '') return text;
  const [on, off] = CODES[name];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};
