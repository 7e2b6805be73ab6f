import { isConversationList, readCover } from './cover.ts';
import { readDialog } from './dialog.ts';
import { type ScreenRule, type ScreenView, STRENGTHS } from './generation.ts';
import { SCREEN_1_0 } from './generation-1.0.ts';
import { SCREEN_2_0 } from './generation-2.0.ts';
import { SCREEN_2_1 } from './generation-2.1.ts';
import { type Block, layOut } from './layout.ts';
import { endsInterrupted, type InterruptedTurn, lastTurn, readInterrupted, readLastMessage } from './readers.ts';
import { type Flow, type ScreenFrame, type ScreenReading, TRANSCRIPT_RULE } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';

/** The newest generation comes first, because the rules of later generations are more exact. */
const GENERATIONS = [SCREEN_2_1, SCREEN_2_0, SCREEN_1_0] as const;

/** The rules of all generations, strongest first. */
export const SCREEN_RULES: readonly ScreenRule[] = STRENGTHS.flatMap((strength) =>
  GENERATIONS.flatMap(({ rules }) => rules[strength] ?? []),
);

/** How each generation draws what the rules look for. */
export const SCREEN_SIGNS: ScreenSigns = {
  prompts: GENERATIONS.flatMap(({ signs }) => signs.prompts ?? []),
  errors: GENERATIONS.flatMap(({ signs }) => signs.errors ?? []),
  borders: GENERATIONS.flatMap(({ signs }) => signs.borders ?? []),
};

export interface ReadOptions {
  /** the rules, strongest first; default: the rules that CBOS ships */
  rules?: readonly ScreenRule[];
  signs?: ScreenSigns;
  /** what the spinner's highlight last showed, which a single frame cannot reveal */
  flow?: Flow | null;
  /** whether the spinner's clock has reported reasoning in this turn; the clock does not keep reporting it */
  hasReasoned?: boolean;
  /** whether a call without a sign of running has ended, which a single frame cannot reveal */
  areCallsOver?: boolean;
}

/**
 * Reads one frame. The function is pure, so the same frame always yields the same reading. `primary` is null if no rule
 * matches.
 */
export function readScreen(
  frame: ScreenFrame,
  {
    rules = SCREEN_RULES,
    signs = SCREEN_SIGNS,
    flow = null,
    hasReasoned = false,
    areCallsOver = false,
  }: ReadOptions = {},
): ScreenReading {
  const layout = layOut(frame, signs);
  const isBare = layout.prompt === null && layout.spinner === null;
  const view: ScreenView = {
    ...layout,
    signs,
    flow,
    hasReasoned,
    areCallsOver,
    dialog: isBare && !isConversationList(frame) ? readDialog(frame, signs) : null,
  };
  const draft =
    layout.prompt === null || layout.prompt.isSuggestion || layout.prompt.text === '' ? null : layout.prompt.text;
  const lastMessage = layout.prompt === null || layout.spinner !== null ? null : readLastMessage(layout);
  const isIdle = layout.prompt !== null && layout.spinner === null;
  const mark = isIdle && endsInterrupted(layout.blocks) ? { isInterrupted: true as const } : {};
  const footerRow = layout.prompt === null ? frame.lines.length : layout.prompt.bottom + 1;
  for (const rule of rules) {
    const finding = rule.read(view);
    if (finding === null) continue;
    const { primary, detail, evidence, dialog = null } = finding;
    const isTranscript = rule.id === TRANSCRIPT_RULE;
    const cover = isTranscript ? 'transcript' : dialog === null ? readCover(layout) : null;
    return { rule: rule.id, primary, detail, evidence, dialog, draft, cover, lastMessage, footerRow, ...mark };
  }
  const nothing = { rule: 'screen.none', primary: null, detail: null, evidence: '', dialog: null };
  return { ...nothing, draft, cover: readCover(layout), lastMessage, footerRow, ...mark };
}

/** The visible blocks of the turn that began with the last visible prompt. */
export const lastTurnOn = (frame: ScreenFrame): readonly Block[] => lastTurn(layOut(frame, SCREEN_SIGNS).blocks);

/** The turn above the newest mark of an interrupt; see {@link readInterrupted}. */
export const interruptedTurnOn = (frame: ScreenFrame): InterruptedTurn | null =>
  readInterrupted(layOut(frame, SCREEN_SIGNS));
