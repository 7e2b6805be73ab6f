import type { Detail } from '../../protocol/index.ts';
import type { ScreenDialog } from './evidence.ts';
import type { ScreenRule, ScreenView } from './screen-generation.ts';
import type { Block, Layout } from './screen-layout.ts';

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

/** What a running turn does, by its spinner and by the last thing above it. */
export function activeDetail(layout: Layout): Detail {
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

/** The last thing that Claude Code said to its user in the last turn; the prompt itself where it has said nothing. */
export const lastSaid = (blocks: readonly Block[]): Block | undefined =>
  lastTurn(blocks).findLast((block) => !NOT_SEEN_BY_USER.test(block.kind));

/** 2.1.329 says so below every turn that ended well, and below no other: an answer may well begin like an error. (2.1.250 says it below both.) */
const ENDED_WELL = / · done \d/;

/** The line in which Claude Code reports that the last turn failed, null when it did not. */
export function errorLine({ blocks, frame, signs }: ScreenView): string | null {
  const said = lastSaid(blocks);
  const turn = lastTurn(blocks);
  const end = turn.at(-1)?.kind === 'done' ? (turn.at(-1)?.lines[0] ?? '') : '';
  // What hangs on the prompt itself is no answer, and neither is what has the colour of a warning.
  const isReported = said?.kind === 'prompt' || (said !== undefined && frame.alertRows?.includes(said.row) === true);
  if (ENDED_WELL.test(end) && !isReported) return null;
  const line = (said?.lines ?? []).find(
    (text, index) => (index === 0 || / +⎿/.test(text)) && signs.errors.some(({ pattern }) => pattern.test(text)),
  );
  return line === undefined ? null : line.replace(/^[●⏺ ⎿]+/, '').trim();
}

/** The last thing said in the last turn, when it was an answer in words. */
export function readLastMessage(layout: Layout): string | null {
  const said = lastSaid(layout.blocks);
  if (said?.kind !== 'text') return null;
  return said.lines
    .map((line) => line.replace(/^[●⏺] ?/, '').trim())
    .join('\n')
    .trim();
}

export const dialogRule = (kind: ScreenDialog['kind'], versions: readonly string[]): ScreenRule => ({
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
