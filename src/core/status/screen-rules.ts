import type { Detail, Primary } from '../../protocol/index.ts';
import type { ScreenDialog, ScreenFrame, ScreenReading } from './evidence.ts';
import { ALL_VERSIONS, type RuleFacts } from './rule.ts';
import { readDialog } from './screen-dialog.ts';
import { type Block, type Layout, layOut } from './screen-layout.ts';

/** What a rule says when it fits. */
interface Finding {
  primary: Primary | null;
  detail: Detail | null;
  evidence: string;
  dialog?: ScreenDialog;
}

/** What rules look at: the frame's regions, and the dialog that stands where the prompt would. */
export interface ScreenView extends Layout {
  dialog: ScreenDialog | null;
}

/** A rule over the screen. The first one that fits wins. */
export interface ScreenRule extends RuleFacts {
  read(view: ScreenView): Finding | null;
}

/**
 * How an error begins where Claude Code itself reports one; answers that talk of errors begin otherwise.
 * `{}` is what 1.0.128 and 2.0.77 print of an error whose body they cannot read.
 */
const ERROR_NOTE =
  /^(?:[●⏺]\s+| +⎿\s+)(?:API Error|Credit balance (?:is )?too low|Invalid API key|Please run \/login|OAuth token|Prompt is too long|Request timed out|Connection error|Unable to connect to API|.{0,40}\b(?:usage|session|weekly|rate|spend(?:ing)?) limit\b|5-hour limit|You've (?:hit|reached) your|\{\}$)/i;
const ERROR_SUGGESTION = /^(?:Once fixed, resend your message|Resend your message)/;
const INTERRUPT_HINT = /\besc to interrupt\b/;

/** The blocks of the turn that the user's last visible prompt began; all visible ones when it has scrolled away. */
export function lastTurn(blocks: readonly Block[]): readonly Block[] {
  for (let index = blocks.length - 1; index >= 0; index--) {
    if (blocks[index]?.kind === 'prompt') return blocks.slice(index);
  }
  return blocks;
}

/** 2.1.329 names the hook that it waits for, and so the moment: what stands above is not news then. */
const RUNNING_TOOL_HOOK = /^running P(?:re|ost)ToolUse\w* hook/;
const RUNNING_PROMPT_HOOK = /^running (?:UserPromptSubmit|SessionStart) hook/;

function activeDetail(layout: Layout): Detail {
  if (layout.spinner !== null) {
    if (/^Compacting\b/.test(layout.spinner.words)) return 'compacting';
    if (RUNNING_TOOL_HOOK.test(layout.spinner.clock)) return 'using_tools';
    if (RUNNING_PROMPT_HOOK.test(layout.spinner.clock)) return 'thinking';
  }
  const last = lastTurn(layout.blocks).at(-1);
  if (last?.kind === 'text') return 'responding';
  // A prompt's own block may carry a tool's result lines only when an error came at once: then nothing runs but a retry.
  return last?.kind === 'tool' ? 'using_tools' : 'thinking';
}

const NOT_SEEN_BY_USER = /^(?:note|done|thought)$/;

/** 2.1.329 says so below every turn that ended well, and below no other: an answer may well begin like an error. (2.1.250 says it below both.) */
const ENDED_WELL = / · done \d/;

function errorLine(layout: Layout): string | null {
  const turn = lastTurn(layout.blocks);
  const said = turn.findLast((block) => !NOT_SEEN_BY_USER.test(block.kind));
  const end = turn.at(-1)?.kind === 'done' ? (turn.at(-1)?.lines[0] ?? '') : '';
  // What hangs on the prompt itself is no answer, and neither is what has the colour of a warning.
  const isReported =
    said?.kind === 'prompt' || (said !== undefined && layout.frame.alertRows?.includes(said.row) === true);
  if (ENDED_WELL.test(end) && !isReported) return null;
  const lines = said?.lines ?? [];
  const line = lines.find((text, index) => ERROR_NOTE.test(text) && (index === 0 || / +⎿/.test(text)));
  return line === undefined ? null : line.replace(/^[●⏺ ⎿]+/, '').trim();
}

const dialogRule = (kind: ScreenDialog['kind'], versions: readonly string[]): ScreenRule => ({
  id: `screen.dialog.${kind}`,
  versions,
  read: ({ dialog }) =>
    dialog?.kind === kind ? { primary: 'waiting', detail: kind, evidence: dialogEvidence(dialog), dialog } : null,
});

function dialogEvidence(dialog: ScreenDialog): string {
  const part = dialog.parts[0];
  // What a setup dialog is about stands first, what a tool asks stands last.
  return `${part?.text.split('\n').at(dialog.kind === 'setup' ? 0 : -1) ?? ''} [${(part?.options ?? []).map((option) => option.label).join(' | ')}]`;
}

/** The rules, strongest first. */
export const SCREEN_RULES: readonly ScreenRule[] = [
  dialogRule('question', ['2.0.77', '2.1.150', '2.1.329']),
  dialogRule('plan', ['2.0.77', '2.1.150', '2.1.329']),
  dialogRule('permission', ALL_VERSIONS),
  dialogRule('setup', ALL_VERSIONS),
  {
    // 2.1.150 draws it too, but there the footer tells all that it tells.
    id: 'screen.spinner',
    versions: ['1.0.128', '2.0.77', '2.1.329'],
    read: (layout) =>
      layout.spinner === null
        ? null
        : { primary: 'active', detail: activeDetail(layout), evidence: layout.spinner.words },
  },
  {
    // While an answer streams, 2.1.329 hides the spinner; only the footer tells.
    id: 'screen.footer.interrupt',
    versions: ['2.1.150', '2.1.329'],
    read: (layout) =>
      layout.prompt !== null && INTERRUPT_HINT.test(layout.footer)
        ? { primary: 'active', detail: activeDetail(layout), evidence: 'esc to interrupt' }
        : null,
  },
  {
    id: 'screen.prompt.error',
    versions: ['2.1.150', '2.1.329'],
    read: (layout) => {
      if (layout.prompt === null) return null;
      const line = errorLine(layout);
      if (line !== null) return { primary: 'idle', detail: 'error', evidence: line };
      return ERROR_SUGGESTION.test(layout.prompt.text) && layout.prompt.isSuggestion
        ? { primary: 'idle', detail: 'error', evidence: layout.prompt.text }
        : null;
    },
  },
  {
    id: 'screen.prompt.after-turn',
    versions: ALL_VERSIONS,
    read: (layout) => {
      if (layout.prompt === null) return null;
      const said = layout.blocks.findLast((block) => block.kind !== 'note');
      return said === undefined
        ? null
        : { primary: 'idle', detail: 'waiting_input', evidence: (said.lines[0] ?? '').trim() };
    },
  },
  {
    id: 'screen.prompt.fresh',
    versions: ALL_VERSIONS,
    read: (layout) =>
      layout.prompt === null
        ? null
        : { primary: 'idle', detail: 'ready', evidence: 'the prompt, and nothing said yet' },
  },
];

/** The last thing said in the last turn, when it was an answer in words. */
function readLastMessage(layout: Layout): string | null {
  const said = lastTurn(layout.blocks)
    .filter((block) => !NOT_SEEN_BY_USER.test(block.kind))
    .at(-1);
  if (said?.kind !== 'text') return null;
  return said.lines
    .map((line) => line.replace(/^[●⏺] ?/, '').trim())
    .join('\n')
    .trim();
}

/**
 * Reads one frame. Pure; the same frame always reads the same. `primary` is null when no rule fits.
 * @param rules strongest first
 */
export function readScreen(frame: ScreenFrame, rules: readonly ScreenRule[] = SCREEN_RULES): ScreenReading {
  const layout = layOut(frame);
  const isBare = layout.prompt === null && layout.spinner === null;
  const view: ScreenView = { ...layout, dialog: isBare ? readDialog(frame) : null };
  const draft =
    layout.prompt === null || layout.prompt.isSuggestion || layout.prompt.text === '' ? null : layout.prompt.text;
  const lastMessage = layout.prompt === null || layout.spinner !== null ? null : readLastMessage(layout);
  for (const rule of rules) {
    const finding = rule.read(view);
    if (finding === null) continue;
    const { primary, detail, evidence, dialog = null } = finding;
    return { rule: rule.id, primary, detail, evidence, dialog, draft, lastMessage };
  }
  return { rule: 'screen.none', primary: null, detail: null, evidence: '', dialog: null, draft, lastMessage };
}
