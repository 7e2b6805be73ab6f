import type { ScreenFrame } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';

/** The prompt's box: its place and its content. */
export interface PromptBox {
  /** row of the upper rule */
  top: number;
  /** row of the lower rule */
  bottom: number;
  /** `❯`, `>`, or `!` in shell mode */
  mark: string;
  /** the text in the box, lines joined by line feeds, including a suggestion */
  text: string;
  /** whether the text is a suggestion by Claude Code, and nobody typed it */
  isSuggestion: boolean;
}

/** The line above the prompt with the moving sign, drawn while a turn runs. */
export interface SpinnerLine {
  row: number;
  /** the words without sign and clock, e.g. `Garnishing…`; they stay the same while the spinner turns */
  words: string;
  /** the text in the parentheses, e.g. `3s · ↓ 20 tokens · thinking`; empty if there are none */
  clock: string;
}

/** A piece of the conversation: what the user said, an answer, a tool call, a note. */
export interface Block {
  row: number;
  kind: 'prompt' | 'text' | 'tool' | 'thought' | 'done' | 'note';
  lines: readonly string[];
}

/** A frame cut into the regions that rules read. */
export interface Layout {
  frame: ScreenFrame;
  prompt: PromptBox | null;
  spinner: SpinnerLine | null;
  /** the lines below the prompt's box, joined by line feeds */
  footer: string;
  /** the visible conversation above spinner and prompt, oldest first; empty while a dialog is open */
  blocks: readonly Block[];
}

// A rule may contain a name (`──── atlas ──`), so only its beginning and most of its length must be dashes.
const RULE = /^─{8}/;
/** Shortest rule, as a fraction of the window's width. 2.x draws the full width, 1.0 two columns less. */
const RULE_PART = 0.6;

const LINE_CODE = '─'.charCodeAt(0);

/** Whether a line is a horizontal rule across the window. Never true for a line of an answer: answers are indented. */
export function isRule(line: string, cols: number): boolean {
  if (!RULE.test(line)) return false;
  let dashes = 0;
  for (let index = 0; index < line.length; index++) if (line.charCodeAt(index) === LINE_CODE) dashes++;
  return dashes >= cols * RULE_PART;
}

/** The sides of a box around the prompt, and their blanks. */
const withoutSides = (line: string): string => line.replace(/^│/, '').replace(/ *│$/, '');

const isBoxTop = (line: string): boolean => line.startsWith('╭─') && line.endsWith('╮');
/** The lower edge of a box. */
export const isBoxBottom = (line: string): boolean => line.startsWith('╰─') && line.endsWith('╯');

/** What Claude Code itself writes into an empty prompt (1.0.128 to 2.1.329). */
const SUGGESTION =
  /^(?:Try ["“].*["”]|Press up to edit queued messages|Once fixed, resend your message|Resend your message.*)$/;

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
  const text = inside
    .map((line) => line.replace(sign.mark, '').trim())
    .join('\n')
    .trim();
  const isCursorAtStart = frame.cursor.row === top + 1 && frame.cursor.col <= 2;
  const isDim = frame.dimRows.includes(top + 1);
  return { top, bottom, mark, text, isSuggestion: text !== '' && (isDim || isCursorAtStart || SUGGESTION.test(text)) };
}

/** The lowest pair of rules, or the lowest box, that contains a prompt's mark. */
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

// Signs seen turning: `·✢*✶✻✽` on Linux, `✳` elsewhere. `●`, the sign with reduced motion, also marks answers and is
// left out.
const SPINNER = /^[·✢✳✶✻✽*∗]\s+(\S[^(]*…)\s*(?:\((.*)\)?)?\s*$/;
/**
 * What may stand between the spinner and the prompt: hints, to-dos, details of the spinner, queued messages, the effort
 * mark at the right.
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

const USER_PROMPT = /^[❯>] \S/;
/** Claude Code itself answers `/model` and the like: nobody has prompted the model. */
const COMMAND = /^[❯>] [/]\w/;
const ANSWER = /^[●⏺]/;
const TOOL_CALL =
  /^[●⏺] +(?:[A-Z][\w-]*\(|\S.* \(MCP\)|(?:Exited|Entered) plan mode$|(?:Updated|Approved|Rejected)\b.*\bplan$)/;
/** A call whose blinking sign is invisible at the moment, with nothing below it yet. */
const BLINKING_CALL = /^ {2}[A-Z]\w*\(.*\)$/;
const TOOL_RESULT = /^ +⎿/;
/**
 * What Claude Code itself tells the model when work in the background is over. It is no answer: another turn begins
 * with it (2.1.329, 2.1.330).
 */
const BACKGROUND_ENDED = /^[●⏺] (?:Agent|Background command) ".*" (?:finished|completed)\b/;
/** The line in which Claude Code notes that a turn was interrupted (1.0.128 to 2.1.329). */
export const INTERRUPTED = /^\s*⎿\s+Interrupted\b/;
const DONE = /^[·✢✳✶✻✽*∗] Conversation compacted|^[·✢✳✶✻✽*∗] \S.* for (?:\d+[hms] ?)+/;
const THOUGHT = /^ +Th(?:inking|ought) (?:for )?\S/;
const COLLAPSED_TOOLS = /^ +(?:Ran|Read|Did not run|Searched|Listed|Fetched|Edited|Wrote|Created) \d/;
const QUEUED = /^ +⎿\s+Queued/;
/** The first visible line of an answer whose beginning has scrolled away. */
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
  // A result stands right below its call. An answer may quote a result, but only after a blank line.
  if (firstParagraph(lines).some((line) => TOOL_RESULT.test(line))) return 'tool';
  if (BLINKING_CALL.test(first) && row > 0) return 'tool';
  return ANSWER.test(first) || (CONTINUED.test(first) && row <= 1) ? 'text' : 'note';
}

/**
 * A new block begins at column 0. A call whose blinking sign is invisible at the moment begins one too, after a blank
 * line.
 */
function beginsBlock(line: string, below: readonly string[]): boolean {
  if (/^\S/.test(line) || THOUGHT.test(line) || COLLAPSED_TOOLS.test(line)) return true;
  if (!/^ {2}[^\s●⏺]/.test(line)) return false;
  return TOOL_RESULT.test(below[0] ?? '') || (BLINKING_CALL.test(line) && below.every((other) => other.trim() === ''));
}

/** The conversation in the rows before `end`, cut into blocks. */
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

/** Cuts a frame into its regions, in time linear in the frame's size. */
export function layOut(frame: ScreenFrame, signs: ScreenSigns): Layout {
  const prompt = findPrompt(frame, signs);
  const end = prompt?.top ?? frame.lines.length;
  const spinner = findSpinner(frame.lines, end);
  return {
    frame,
    prompt,
    spinner,
    footer: prompt === null ? '' : frame.lines.slice(prompt.bottom + 1).join('\n'),
    blocks: prompt === null ? [] : cutBlocks(frame.lines, spinner?.row ?? end),
  };
}
