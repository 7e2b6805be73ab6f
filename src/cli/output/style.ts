import type { TerminalIo, TerminalOutput } from '../terminal-io.ts';

/** Select Graphic Rendition: what switches each on and off. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type StyleName = keyof typeof CODES;

/** Dresses a text up, or leaves it as it is where colours are not wanted. */
export type Style = (name: StyleName | null, text: string) => string;

/** Colours only for a terminal that has them and a person who has not said no (https://no-color.org: any value that is not empty). */
export function styleFor(output: TerminalOutput, env: TerminalIo['env']): Style {
  const isWanted = output.isTTY === true && env.TERM !== 'dumb' && (env.NO_COLOR ?? '') === '';
  if (!isWanted) return (_, text) => text;
  return (name, text) => {
    if (name === null || text === '') return text;
    const [on, off] = CODES[name];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}
