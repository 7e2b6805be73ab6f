import type { Detail } from '../../../protocol/index.ts';
import type { DialogKind } from '../asked-call.ts';
import type { ScreenRule, ScreenView } from './generation.ts';
import { type Block, INTERRUPTED, type Layout, USER_PROMPT } from './layout.ts';
import type { ScreenDialog } from './screen-evidence.ts';

/**
 * Returns the blocks of the turn that began with the user's last visible prompt. If no prompt is visible any more, all
 * visible blocks are returned.
 */
export function lastTurn(blocks: readonly Block[]): readonly Block[] {
  for (let index = blocks.length - 1; index >= 0; index--) {
    if (blocks[index]?.kind === 'prompt') return blocks.slice(index);
  }
  return blocks;
}

/**
 * Claude Code 2.1.329 names the hook that it is waiting for, which shows what the turn is doing. In that case, the
 * conversation above the spinner is out of date.
 */
const RUNNING_TOOL_HOOK = /^running P(?:re|ost)ToolUse\w* hook/;
const RUNNING_PROMPT_HOOK = /^running (?:UserPromptSubmit|SessionStart) hook/;

/** Returns what a running turn is doing, based on its spinner and the last block above it. */
export function activeDetail(view: ScreenView): Detail {
  if (view.spinner !== null) {
    if (/^Compacting\b/.test(view.spinner.words)) return 'compacting';
    if (RUNNING_TOOL_HOOK.test(view.spinner.clock)) return 'using_tools';
    if (RUNNING_PROMPT_HOOK.test(view.spinner.clock)) return 'thinking';
  }
  const turn = lastTurn(view.blocks);
  const last = turn.at(-1);
  if (last?.kind === 'text') return 'responding';
  // The block of a prompt contains lines of a tool result only if an error occurred immediately. In that case, the turn
  // is only retrying the request.
  return last?.kind === 'tool' && !haveCallsEnded(turn, view) ? 'using_tools' : 'thinking';
}

/** Matches a question that was answered. The question's sign keeps the default colour (2.1.50 to 2.1.330). */
const ANSWERED = /^[●⏺]\s(?:User answered|Answered) Claude's questions:/;

/**
 * Matches the line that reports files being read. Reading takes milliseconds, but the line remains until something else
 * is drawn (2.1.150 to 2.1.330).
 */
const READS_FILES = /^[●⏺ ] Reading \d+ files?…/;
/**
 * Matches a command that is shown below its description on the alternate screen. The display does not change until
 * something else is drawn (2.1.329, 2.1.330).
 */
const DESCRIBED_COMMAND = /^ +⎿ +\$ /;
/** Matches the clock that a running command shows after at most 3 s: ` · 2s`, ` (3s · 93 lines)`. */
const COMMAND_CLOCK = / (?:· |\()(?:\d+[hms] ?)+(?:$|\)| ·)/;

const showsNoClock = (lines: readonly string[]): boolean =>
  lines.some((line) => DESCRIBED_COMMAND.test(line)) && !lines.some((line) => COMMAND_CLOCK.test(line));

/**
 * Reports whether all calls at the end of a turn have ended, as far as colours and words show. The model is then
 * thinking about their results.
 */
function haveCallsEnded(turn: readonly Block[], { frame: { endedRows }, areCallsOver }: ScreenView): boolean {
  const calls = turn.slice(turn.findLastIndex((block) => block.kind !== 'tool') + 1);
  return calls.every(({ row, lines }) => {
    const [first = ''] = lines;
    const isEnded = endedRows?.includes(row) === true || ANSWERED.test(first) || READS_FILES.test(first);
    return isEnded || (areCallsOver && showsNoClock(lines));
  });
}

/**
 * Matches the sign that Claude Code is reasoning, either in the spinner's clock (2.0.77, 2.1.50) or as a line of the
 * conversation (2.0.30).
 */
const REASONS = /(?:^|· )thinking$/;
const REASONS_LINE = /^∴ Thinking…/;
/**
 * Claude Code 1.0 reasons before it answers only if the prompt contains a word that asks for reasoning. It draws the
 * reasoning only after the reasoning has ended.
 */
const ASKS_TO_REASON = /^> .*\b(?:(?:ultra|mega)?think)\b/i;
const HAS_REASONED = /^[✻∴] Th(?:inking…|ought for )/;
/**
 * The arrow shows the same thing as the highlight. Claude Code 1.0.60 has no highlight, so the arrow is the only sign.
 * Later versions show the arrow only after a few seconds. Before the request is sent, the arrow points down for 100 ms.
 */
const RECEIVED = /↓ [1-9].*esc to interrupt|esc to interrupt.*↓ [1-9]/;

/** Reports whether an answer is arriving although Claude Code has not drawn any of it yet. */
export function isReceiving(view: ScreenView): boolean {
  const { spinner, flow, blocks } = view;
  if (spinner === null || activeDetail(view) !== 'thinking') return false;
  const turn = lastTurn(blocks);
  const last = turn.at(-1)?.lines[0] ?? '';
  if (REASONS.test(spinner.clock) || REASONS_LINE.test(last)) return false;
  // The reasoning has already been drawn, so the answer comes next.
  if (HAS_REASONED.test(last)) return true;
  if (flow === null ? !RECEIVED.test(spinner.clock) : flow === 'sending') return false;
  const isAsked = ASKS_TO_REASON.test(turn[0]?.lines[0] ?? '');
  return !isAsked || view.hasReasoned || turn.some(({ lines }) => HAS_REASONED.test(lines[0] ?? ''));
}

/** Matches a command that the user entered in shell mode. */
const SHELL_COMMAND = /^! \S/;
/**
 * Matches the last row below a running shell command. This row shows how many more lines the command has printed and
 * how long it has been running. A command that has ended shows neither.
 */
const SHELL_RUNS =
  /^ +(?:⎿\s+Running….*|ctrl\+b to run in background|\((?:\d+[hms] ?)+\)|\+\d+ (?:more )?lines?(?: \((?:\d+[hms] ?)+\))?)$/;

/** Returns the shell command that the user is running, or null if none is running. */
export function runningShell(blocks: readonly Block[]): string | null {
  const { lines = [] } = blocks.at(-1) ?? {};
  const end = lines.findLast((line) => line.trim() !== '') ?? '';
  return SHELL_COMMAND.test(lines[0] ?? '') && SHELL_RUNS.test(end) ? (lines[0] ?? '') : null;
}

const NOT_SEEN_BY_USER = /^(?:note|done|thought)$/;

/** Returns the last thing that Claude Code told the user in the last turn, or the prompt itself if it said nothing. */
export const lastSaid = (blocks: readonly Block[]): Block | undefined =>
  lastTurn(blocks).findLast((block) => !NOT_SEEN_BY_USER.test(block.kind));

/**
 * Claude Code 2.1.329 draws this line below every turn that ended successfully and below no other turn. CBOS checks for
 * this line, because an answer may begin like an error. Version 2.1.250 draws it below both kinds of turn.
 */
const ENDED_WELL = / · done \d/;

/** Returns the line in which Claude Code reports that the last turn failed, or null if it did not fail. */
export function errorLine({ blocks, frame, signs }: ScreenView): string | null {
  const said = lastSaid(blocks);
  const turn = lastTurn(blocks);
  const end = turn.at(-1)?.kind === 'done' ? (turn.at(-1)?.lines[0] ?? '') : '';
  // Lines that belong to the prompt itself are not an answer. Neither are lines in the colour of a warning.
  const isReported = said?.kind === 'prompt' || (said !== undefined && frame.alertRows?.includes(said.row) === true);
  if (ENDED_WELL.test(end) && !isReported) return null;
  const line = (said?.lines ?? []).find(
    (text, index) => (index === 0 || / +⎿/.test(text)) && signs.errors.some(({ pattern }) => pattern.test(text)),
  );
  return line === undefined ? null : line.replace(/^[●⏺ ⎿]+/, '').trim();
}

/** Reports whether the last turn ends with the mark of an interrupt. The mark may be wrapped. */
export function endsInterrupted(blocks: readonly Block[]): boolean {
  const last = lastTurn(blocks).findLast(
    ({ kind, lines }) => (kind !== 'note' && kind !== 'done') || lines.some((line) => INTERRUPTED.test(line)),
  );
  return INTERRUPTED.test(last?.lines.findLast((line) => line.includes('⎿')) ?? '');
}

/** A turn that an interrupt has ended, as the screen shows it. */
export interface InterruptedTurn {
  /** the prompt of the turn */
  prompt: string;
  /** whether another prompt follows the turn, which may still be in the queue */
  isFollowed: boolean;
  /** the prompt directly above, to which no answer is visible, or null if there is none */
  above: string | null;
}

/**
 * Returns the turn that ends with the newest mark of an interrupt, or null if the mark or the prompt of its turn is not
 * visible. A queued prompt is drawn below the mark, and above it as long as the turn runs. For a moment, Claude Code
 * draws a queued prompt like one of a turn, without the line that marks it as queued (2.1.330).
 *
 * On a loaded machine, Claude Code may draw the queued prompt of the next turn above the mark of the interrupt, too. In
 * that case, `above` is the prompt of the interrupted turn (2.1.330).
 */
export function readInterrupted({ blocks, frame, prompt }: Layout): InterruptedTurn | null {
  const end = blocks.findLastIndex(isMarked);
  const [first, ...others] = lastTurn(blocks.slice(0, end + 1));
  if (first?.kind !== 'prompt') return null;
  const before = blocks[blocks.indexOf(first) - 1];
  const isOpen = before?.kind === 'prompt' && !isMarked(before);
  const after = frame.lines.slice((others.at(-1) ?? first).row + 1, prompt?.top);
  return {
    prompt: promptIn(first),
    isFollowed: after.some((line) => USER_PROMPT.test(line)),
    above: isOpen ? promptIn(before) : null,
  };
}

const isMarked = ({ lines }: Block): boolean => lines.some((line) => INTERRUPTED.test(line));

/** Returns the text of a prompt, without the mark of an interrupt below it. */
function promptIn({ lines }: Block): string {
  const mark = lines.findIndex((line) => INTERRUPTED.test(line));
  return (mark < 0 ? lines : lines.slice(0, mark)).join('\n').slice(1);
}

/** Returns the last thing said in the last turn if it was an answer in words, or null otherwise. */
export function readLastMessage(layout: Layout): string | null {
  const said = lastSaid(layout.blocks);
  if (said?.kind !== 'text') return null;
  return said.lines
    .map((line) => line.replace(/^[●⏺] ?/, '').trim())
    .join('\n')
    .trim();
}

/** A form of an MCP server counts as a question. */
const detailOfDialog = ({ kind }: ScreenDialog): DialogKind => (kind === 'form' ? 'question' : kind);

export const dialogRule = (kind: DialogKind, versions: readonly string[]): ScreenRule => ({
  id: `screen.dialog.${kind}`,
  versions,
  read: ({ dialog }) =>
    dialog !== null && detailOfDialog(dialog) === kind
      ? { primary: 'waiting', detail: kind, evidence: dialogEvidence(dialog), dialog }
      : null,
});

function dialogEvidence(dialog: ScreenDialog): string {
  const part = dialog.parts[0];
  // A set-up dialog begins with its subject, whereas a tool's dialog ends with its question.
  return `${part?.text.split('\n').at(dialog.kind === 'setup' ? 0 : -1) ?? ''} [${(part?.options ?? []).map((option) => option.label).join(' | ')}]`;
}
