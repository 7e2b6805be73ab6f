import { ownFooter } from './footer.ts';
import { isRule } from './rule-line.ts';
import type { ScreenFrame } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';
import { viewAbove } from './view-above.ts';

/** The position and the content of the prompt's box. */
export interface PromptBox {
  /** the row of the box's upper border */
  top: number;
  /** the row of the box's lower border */
  bottom: number;
  /** the mark of the prompt: `❯`, `>`, or `!` in shell mode */
  mark: string;
  /** the text in the box, including a suggestion; lines are separated by line feeds */
  text: string;
  /** whether the text is a suggestion from Claude Code rather than something that someone typed */
  isSuggestion: boolean;
}

/** The line with the turning sign above the prompt. Claude Code draws it while a turn is running. */
export interface SpinnerLine {
  row: number;
  /** the words without the sign and the clock, such as `Garnishing…`; they do not change while the spinner turns */
  words: string;
  /** the text in parentheses, such as `3s · ↓ 20 tokens · thinking`, or an empty string if there is none */
  clock: string;
}

/** A piece of the conversation: a message from the user, an answer, a tool call, or a note. */
export interface Block {
  row: number;
  kind: 'prompt' | 'text' | 'tool' | 'thought' | 'done' | 'note';
  lines: readonly string[];
}

/** A frame, divided into the regions that rules read. */
export interface Layout {
  frame: ScreenFrame;
  prompt: PromptBox | null;
  spinner: SpinnerLine | null;
  /** the lines below the prompt's box, separated by line feeds */
  footer: string;
  /** the lines of the footer that Claude Code itself draws, without the user's status line above them */
  ownFooter: string;
  /** whether a view is open above the box and takes the keys instead of the prompt */
  isBelowView: boolean;
  /** the visible conversation above the spinner and the prompt, oldest first; empty while a dialog is open */
  blocks: readonly Block[];
}

/** Removes the sides of a box around the prompt, and the spaces next to them. */
const withoutSides = (line: string): string => line.replace(/^│/, '').replace(/ *│$/, '');

const isBoxTop = (line: string): boolean => line.startsWith('╭─') && line.endsWith('╮');
/** Matches the lower edge of a box. */
export const isBoxBottom = (line: string): boolean => line.startsWith('╰─') && line.endsWith('╯');

/** Matches text that Claude Code itself puts into an empty prompt (1.0.128 to 2.1.329). */
const SUGGESTION =
  /^(?:Try ["“].*["”]|Press up to edit queued messages|Once fixed, resend your message|Resend your message.*)$/;

/** Matches a slash command and the hint that Claude Code draws behind the cursor about its arguments (2.1.330). */
const HINTED_COMMAND = /^(\/\S+) +[<[].*$/s;

interface PromptPlace {
  top: number;
  bottom: number;
  kind: 'box' | 'lines';
}

function readPrompt(
  frame: ScreenFrame,
  { top, bottom, kind }: PromptPlace,
  { prompts }: ScreenSigns,
): PromptBox | null {
  const inside = frame.lines.slice(top + 1, bottom).map((line) => (kind === 'box' ? withoutSides(line) : line));
  const sign = prompts.find((one) => one.frame === kind && one.mark.test(inside[0] ?? ''));
  const mark = sign?.mark.exec(inside[0] ?? '')?.[1];
  if (sign === undefined || mark === undefined) return null;
  const shown = inside
    .map((line) => line.replace(sign.mark, '').trim())
    .join('\n')
    .trim();
  const command = HINTED_COMMAND.exec(shown)?.[1];
  const isHinted = command !== undefined && frame.cursor.col <= (inside[0] ?? '').indexOf(command) + command.length + 1;
  const text = isHinted ? command : shown;
  const isCursorAtStart = frame.cursor.row === top + 1 && frame.cursor.col <= 2;
  const isDim = frame.dimRows.includes(top + 1);
  return { top, bottom, mark, text, isSuggestion: text !== '' && (isDim || isCursorAtStart || SUGGESTION.test(text)) };
}

/** Returns the lowest pair of rules, or the lowest box, that contains a prompt mark. */
function findPrompt(frame: ScreenFrame, signs: ScreenSigns): PromptBox | null {
  const { lines, cols } = frame;
  let rule: number | null = null;
  let box: number | null = null;
  for (let row = lines.length - 1; row >= 0; row--) {
    const line = lines[row] ?? '';
    let found: PromptBox | null = null;
    if (isRule(line, cols)) {
      found = rule === null ? null : readPrompt(frame, { top: row, bottom: rule, kind: 'lines' }, signs);
      rule = row;
    } else if (isBoxBottom(line)) box = row;
    else if (isBoxTop(line) && box !== null) {
      found = readPrompt(frame, { top: row, bottom: box, kind: 'box' }, signs);
      box = null;
    }
    if (found !== null) return found;
  }
  return null;
}

// The signs of a turning spinner: `·✢*✶✻✽` on Linux, `✳` elsewhere. `●`, the sign for reduced motion, is omitted
// because it also marks answers.
const SPINNER = /^[·✢✳✶✻✽*∗]\s+(\S[^(]*…)\s*(?:\((.*)\)?)?\s*$/;
/**
 * Matches what Claude Code draws, alone on the screen, while it reads the conversations for the list of `--resume`. No
 * turn is running then (2.1.330).
 */
const LOADING = /^Loading [a-z ]+…$/;
/**
 * Matches lines that may appear between the spinner and the prompt: hints, to-dos, details about the spinner, queued
 * messages, and the effort mark on the right.
 */
const BELOW_SPINNER = /^(?:\s*$|\s{2,}\S)/;

function findSpinner(lines: readonly string[], end: number): SpinnerLine | null {
  for (let row = end - 1; row >= 0; row--) {
    const line = lines[row] ?? '';
    const match = SPINNER.exec(line);
    if (match !== null) return { row, words: (match[1] ?? '').trim(), clock: match[2]?.replace(/\)\s*$/, '') ?? '' };
    if (!BELOW_SPINNER.test(line)) return null;
  }
  return null;
}

/** Matches the first line of a prompt in the conversation. */
export const USER_PROMPT = /^[❯>] \S/;
/** Claude Code itself answers `/model` and similar commands, so the model has not received a prompt. */
const COMMAND = /^[❯>] [/]\w/;
const ANSWER = /^[●⏺]/;
const TOOL_CALL =
  /^[●⏺] +(?:[A-Z][\w-]*\(|\S.* \(MCP\)|(?:Exited|Entered) plan mode$|(?:Updated|Approved|Rejected)\b.*\bplan$)/;
/** Matches a call whose blinking sign is currently off, with nothing below the call yet. */
const BLINKING_CALL = /^ {2}[A-Z]\w*\(.*\)$/;
const TOOL_RESULT = /^ +⎿/;
/**
 * Matches the message that Claude Code itself sends to the model when background work has ended. This message is not an
 * answer, and it begins another turn (2.1.329, 2.1.330).
 */
const BACKGROUND_ENDED = /^[●⏺] (?:Agent|Background command) ".*" (?:finished|completed)\b/;
/** Matches the line that Claude Code prints when a turn was interrupted (1.0.128 to 2.1.329). */
export const INTERRUPTED = /^\s*⎿\s+Interrupted\b/;
const DONE = /^[·✢✳✶✻✽*∗] Conversation compacted|^[·✢✳✶✻✽*∗] \S.* for (?:\d+[hms] ?)+/;
const THOUGHT = /^ +Th(?:inking|ought) (?:for )?\S/;
const COLLAPSED_TOOLS = /^ +(?:Ran|Read|Did not run|Searched|Listed|Fetched|Edited|Wrote|Created) \d/;
const QUEUED = /^ +⎿\s+Queued/;
/**
 * Matches the notice that a slash command was not carried out. Claude Code draws it in the colour of an error, without
 * the command above it, and it says nothing about the last turn (2.1.330).
 */
const COMMAND_REFUSED = /^[●⏺] (?:Unknown command: \/|Args from (?:unknown skill|\/[\w:-]+): |\/[\w:-]+ \S)/;
/** Represents the first visible line of an answer whose beginning has scrolled out of view. */
const CONTINUED = /^ {2}\S/;

function firstParagraph(lines: readonly string[]): readonly string[] {
  const blank = lines.indexOf('');
  return blank < 0 ? lines : lines.slice(0, blank);
}

function kindOf(lines: readonly string[], row: number): Block['kind'] {
  const first = lines[0] ?? '';
  if (COMMAND.test(first)) return 'note';
  if (USER_PROMPT.test(first)) return 'prompt';
  if (DONE.test(first)) return 'done';
  if (THOUGHT.test(first)) return 'thought';
  if (BACKGROUND_ENDED.test(first)) return 'note';
  if (TOOL_CALL.test(first) || COLLAPSED_TOOLS.test(first)) return 'tool';
  // A result appears directly below its call. An answer may quote a result, but only after a blank line.
  if (firstParagraph(lines).some((line) => TOOL_RESULT.test(line))) return 'tool';
  if (BLINKING_CALL.test(first) && row > 0) return 'tool';
  return ANSWER.test(first) || (CONTINUED.test(first) && row <= 1) ? 'text' : 'note';
}

/**
 * Reports whether a line begins a new block. Blocks begin at column 0. After a blank line, a call whose blinking sign
 * is currently off also begins a block.
 */
function beginsBlock(line: string, below: readonly string[]): boolean {
  if (/^\S/.test(line) || THOUGHT.test(line) || COLLAPSED_TOOLS.test(line)) return true;
  if (!/^ {2}[^\s●⏺]/.test(line)) return false;
  return TOOL_RESULT.test(below[0] ?? '') || (BLINKING_CALL.test(line) && below.every((other) => other.trim() === ''));
}

/** Divides the conversation in the rows before `end` into blocks. */
export function cutBlocks(lines: readonly string[], end: number): Block[] {
  const blocks: { row: number; lines: string[] }[] = [];
  let isAfterBlank = true;
  for (let row = 0; row < end; row++) {
    const line = lines[row] ?? '';
    if (line.trim() === '') {
      isAfterBlank = true;
      blocks.at(-1)?.lines.push('');
      continue;
    }
    const isAlone = isAfterBlank || /^\S/.test(line);
    if (blocks.length === 0 || (isAlone && beginsBlock(line, lines.slice(row + 1, end)))) {
      blocks.push({ row, lines: [line] });
    } else blocks.at(-1)?.lines.push(line);
    isAfterBlank = false;
  }
  return blocks
    .filter((block) => !block.lines.some((line) => QUEUED.test(line)))
    .map(({ row, lines: own }) => ({ row, kind: kindOf(own, row), lines: own }));
}

/** Reports whether a block belongs to the conversation. Only Claude Code itself uses the colour of an alert. */
const isSaid = ({ row, lines }: Block, { alertRows }: ScreenFrame): boolean =>
  alertRows?.includes(row) !== true || !COMMAND_REFUSED.test(lines[0] ?? '');

/** Divides a frame into its regions, in time linear in the size of the frame. */
export function layOut(frame: ScreenFrame, signs: ScreenSigns): Layout {
  const prompt = findPrompt(frame, signs);
  const below = prompt === null ? [] : frame.lines.slice(prompt.bottom + 1);
  const own = ownFooter(below).join('\n');
  const view = prompt === null ? null : viewAbove({ lines: frame.lines.slice(0, prompt.top), cols: frame.cols }, own);
  const end = view === null ? (prompt?.top ?? frame.lines.length) : Math.max(view.row - 1, 0);
  const found = findSpinner(frame.lines, end);
  const spinner = prompt === null && found !== null && LOADING.test(found.words) ? null : found;
  return {
    frame,
    prompt,
    spinner,
    footer: below.join('\n'),
    ownFooter: own,
    isBelowView: view !== null,
    blocks: prompt === null ? [] : cutBlocks(frame.lines, spinner?.row ?? end).filter((block) => isSaid(block, frame)),
  };
}
