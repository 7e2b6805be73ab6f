/**
 * The SGR codes that turn each style on and off. They use the terminal's own sixteen colours, so that the user's light
 * or dark theme applies.
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

/** Applies a style to text, if the terminal and the user's settings allow it. */
export type Style = (name: StyleName | null, text: string) => string;

/** The style function for a terminal that supports all styles. */
export const styled: Style = (name, text) => {
  if (name === null || text === '') return text;
  const [on, off] = CODES[name];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};
