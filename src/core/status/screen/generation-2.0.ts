import type { ScreenGeneration, ScreenRule } from './generation.ts';
import { cutBlocks, INTERRUPTED } from './layout.ts';
import { dialogRule } from './readers.ts';
import { type ScreenDialog, type ScreenFrame, TRANSCRIPT_RULE } from './screen-evidence.ts';

const ALL = ['2.0.30', '2.0.77', '2.1.50', '2.1.150', '2.1.250', '2.1.329', '2.1.330'] as const;

/**
 * Matches the line below the detailed transcript, which Ctrl+O opens over everything else. From 2.1.329 on, the line
 * begins with what is happening below the transcript.
 */
const TRANSCRIPT = /^\s*(?:(\S.*?) · )?(Showing detailed transcript\b.*)/;
/** A call that is running or is waiting for permission. */
const UNFINISHED = / ⎿\s+(?:Waiting|Running)…/;

interface Transcript {
  covers: 'a turn' | 'a dialog' | 'a prompt';
  text: string;
}

/** Returns what is happening behind the detailed transcript, or null if the transcript is not open. */
function readTranscript({ lines }: ScreenFrame): Transcript | null {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const match = TRANSCRIPT.exec(lines[last] ?? '');
  if (match === null) return null;
  const [, goesOn, text = ''] = match;
  if (goesOn !== undefined) return { covers: /\bwaiting\b/.test(goesOn) ? 'a dialog' : 'a turn', text: text.trim() };
  // In older versions, a turn is running if the last block is a prompt without an answer or a call that has not ended.
  const newest = cutBlocks(lines, last - 1).at(-1);
  const isOpen = newest?.kind === 'prompt' || newest?.lines.some((line) => UNFINISHED.test(line)) === true;
  const isRunning = isOpen && newest?.lines.some((line) => INTERRUPTED.test(line)) === false;
  return { covers: isRunning ? 'a turn' : 'a prompt', text: text.trim() };
}

/**
 * Represents the transcript as a dialog without options. The transcript takes every keypress, so CBOS must not type
 * text into it.
 */
const transcriptDialog = (kind: ScreenDialog['kind'], text: string): ScreenDialog => ({
  kind,
  parts: [{ header: null, text, options: [], multi: false }],
  chosen: null,
  freeText: null,
  numbered: false,
  checked: [],
  isWhole: true,
});

const transcriptRule: ScreenRule = {
  id: TRANSCRIPT_RULE,
  versions: ['2.0.77', '2.1.150', '2.1.250', '2.1.329', '2.1.330'],
  read: ({ prompt, frame }) => {
    const open = prompt === null ? readTranscript(frame) : null;
    if (open === null) return null;
    const { covers, text } = open;
    if (covers === 'a turn') return { primary: 'active', detail: 'thinking', evidence: text };
    // The dialog behind the transcript is most likely a permission dialog. A hook reports the exact kind.
    const detail = covers === 'a dialog' ? 'permission' : 'setup';
    return { primary: 'waiting', detail, evidence: text, dialog: transcriptDialog(detail, text) };
  },
};

/**
 * Claude Code 2.0. There are no boxes any more. New elements are questions with tabs, plans, and the detailed
 * transcript, which covers everything. The prompt's mark becomes `❯` (2.0.77).
 */
export const SCREEN_2_0: ScreenGeneration = {
  signs: {
    prompts: [
      {
        id: 'screen.sign.prompt-arrow',
        versions: ['2.0.77', '2.1.50', '2.1.92', '2.1.150', '2.1.250', '2.1.329', '2.1.330'],
        frame: 'lines',
        mark: /^[ \u00a0]?(❯)(?:[ \u00a0]|$)/,
      },
    ],
  },
  rules: { dialog: [transcriptRule, dialogRule('question', ALL), dialogRule('plan', ALL)] },
};
