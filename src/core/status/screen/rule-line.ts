import type { ScreenFrame } from './screen-evidence.ts';

// A rule may contain a name (`──── atlas ──`), so only its beginning and most of its length must consist of dashes.
const RULE = /^─{8}/;
/**
 * The minimum length of a rule, as a fraction of the window's width. Claude Code 2.x draws rules across the full width,
 * and 1.0 draws them two columns shorter.
 */
const RULE_PART = 0.6;

const LINE_CODE = '─'.charCodeAt(0);

/**
 * Reports whether a line is a horizontal rule across the window. A line in an answer is never mistaken for one, because
 * answers are indented.
 */
export function isRule(line: string, cols: number): boolean {
  if (!RULE.test(line)) return false;
  let dashes = 0;
  for (let index = 0; index < line.length; index++) if (line.charCodeAt(index) === LINE_CODE) dashes++;
  return dashes >= cols * RULE_PART;
}

/** Returns the lowest row with a rule, or -1 if there is none. */
export const lowestRule = ({ lines, cols }: Pick<ScreenFrame, 'lines' | 'cols'>): number =>
  lines.findLastIndex((line) => isRule(line, cols));
