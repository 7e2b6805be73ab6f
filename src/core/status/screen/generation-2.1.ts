import { readPromptRefusal, refusalNote } from '../../../protocol/index.ts';
import { beginOf } from '../rule.ts';
import type { ScreenGeneration } from './generation.ts';
import { activeDetail, lastSaid } from './readers.ts';

/**
 * Matches only the beginning of the hint. In a narrow window, a notice on the right is drawn over the end of the hint
 * (2.1.92: `esc to interrupClaude Code has switched…`). The hint follows the mode or, up to 2.1.150, begins the line.
 */
const INTERRUPT_HINT = /(?:^\s*|· )esc to int/m;

/**
 * Matches what Claude Code draws in the colour of an error although the turn continues, or ended with an answer: after
 * nine blocks in a row, it overrules a Stop hook (2.1.330).
 */
const NO_ERROR =
  /^[●⏺] (?:Auto mode can.t check actions in this session\. |A hook blocked the turn from ending \d+ consecutive times)/;

const SIGN = /^[●⏺ ]+/;

/** Joins the lines that Claude Code has wrapped. */
const paragraphsOf = (lines: readonly string[]): string =>
  lines
    .map((line) => line.replace(SIGN, '').trim())
    .join(' ')
    .replace(/ {2,}/g, '\n\n')
    .trim();

/** Claude Code 2.1. The footer shows that a turn is running, `!` opens a shell prompt, and errors are coloured. */
export const SCREEN_2_1: ScreenGeneration = {
  signs: {
    prompts: [
      {
        id: 'screen.sign.prompt-shell',
        versions: ['2.1.329', '2.1.330'],
        frame: 'lines',
        mark: /^[ \u00a0]?(!)(?:[ \u00a0]|$)/,
      },
    ],
  },
  rules: {
    footer: [
      {
        // While an answer streams, Claude Code 2.1.329 hides the spinner. Only the footer then shows that the turn is
        // running.
        id: 'screen.footer.interrupt',
        versions: ['2.1.92', '2.1.150', '2.1.250', '2.1.329', '2.1.330'],
        read: (layout) =>
          layout.prompt !== null && INTERRUPT_HINT.test(layout.ownFooter)
            ? { primary: 'active', detail: activeDetail(layout), evidence: 'esc to interrupt' }
            : null,
      },
    ],
    error: [
      {
        // Claude Code draws its own errors in yellow or red, regardless of their wording. An answer never has these
        // colours.
        id: 'screen.prompt.error-colour',
        versions: ['2.1.329', '2.1.330'],
        read: ({ prompt, blocks, frame }) => {
          const said = prompt === null ? undefined : lastSaid(blocks);
          if (said?.kind !== 'text' || frame.alertRows?.includes(said.row) !== true) return null;
          const line = said.lines[0] ?? '';
          if (NO_ERROR.test(line)) return null;
          const refusal = readPromptRefusal(paragraphsOf(said.lines));
          const evidence =
            refusal === null ? line.replace(SIGN, '') : beginOf(refusalNote(refusal.words.replace(/\s+/g, ' ')));
          return { primary: 'idle', detail: 'error', evidence };
        },
      },
    ],
  },
};
