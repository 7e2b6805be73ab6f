/** Select Graphic Rendition: what switches each on and off. The terminal's own sixteen colours, so that light and dark are the person's choice. */
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

export type Dressing = keyof typeof CODES;

/** Dresses a text up; colours are left out where the person does not want any. */
export type Dress = (name: Dressing | null, text: string) => string;

const WITHOUT_COLOURS: ReadonlySet<Dressing> = new Set(['bold', 'dim', 'inverse']);

/** @param hasColours false for NO_COLOR: bold, dim and inverse stay */
export function dressFor(hasColours: boolean): Dress {
  return (name, text) => {
    if (name === null || text === '' || !(hasColours || WITHOUT_COLOURS.has(name))) return text;
    const [on, off] = CODES[name];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}
