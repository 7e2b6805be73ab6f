import { meaningOfDecision } from '../option-meaning.ts';
import { isRule } from './rule-line.ts';
import type { ScreenDialog, ScreenFrame } from './screen-evidence.ts';

/** Matches the beginning of the last lines of each known dialog that single keys answer (2.1.330). */
const KNOWN = /^Enter to stay in auto mode · /;
const LAST_KEY = 'Esc to cancel';
const HINT = /^(Enter|Esc|shift\+Tab) to (\S.*)$/;
const KEYS: Readonly<Record<string, string>> = { Enter: '\r', Esc: '\x1b', 'shift+Tab': '\x1b[Z' };
/** Claude Code ignores the key of such an option until the window shows the whole dialog. */
const TOO_LOW = /\(needs a taller window\)$/;

/**
 * Reads a dialog without a list of options, in which each answer has a key of its own, or returns null if none is open.
 * The last lines of the dialog name the keys.
 */
export function readKeyDialog({ lines, cols }: ScreenFrame): ScreenDialog | null {
  const rule = lines.findLastIndex((line) => isRule(line, cols));
  const drawn = lines.slice(rule + 1).map((line) => line.trim());
  const start = drawn.findLastIndex((line) => KNOWN.test(line));
  const hints = drawn.slice(start).join('\n').trim();
  // A command that quotes such a line is followed by more paragraphs.
  if (start < 0 || hints.includes('\n\n')) return null;
  const text = drawn.slice(0, start).join('\n').trim();
  const answers = hints
    .replaceAll('\n', ' ')
    .split(' · ')
    .map((hint) => {
      const [, key = '', label = ''] = HINT.exec(hint) ?? [];
      return { keys: TOO_LOW.test(label) ? null : (KEYS[key] ?? null), label };
    });
  const options = answers.map(({ label }, index) => {
    return { key: String(index + 1), label, description: null, means: meaningOfDecision(label) };
  });
  return {
    kind: 'setup',
    parts: [{ header: null, text: joinParagraphs(text), options, multi: false }],
    chosen: null,
    freeText: null,
    numbered: false,
    checked: options.map(() => null),
    keys: answers.map(({ keys }) => keys),
    isWhole: hints.endsWith(LAST_KEY) && options.every(({ label }) => label !== ''),
  };
}

/** Joins the lines of each paragraph, so that the text is the same in windows of all widths. */
const joinParagraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n');
