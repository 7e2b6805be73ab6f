import type { Question, QuestionAsker, QuestionPart } from '../../protocol/index.ts';
import { askedQuestions, type DialogKind, describeTool, isRecord, squeeze, stringOf } from './asked-call.ts';
import { PLAN_OPTIONS, permissionOptions, withDialogOptions, withDrawnOptions } from './asked-options.ts';
import type { PendingTool, StartedAgent } from './evidence.ts';
import { fingerprint } from './fingerprint.ts';
import type { Millis } from './millis.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';
import type { DrawnDialog } from './shown-dialog.ts';
import { WITHHELD } from './tool-behind.ts';

const iso = (at: Millis): string => new Date(at).toISOString();

/** The asker of a question that no agent and no server asks. */
export const SESSION_ASKER: QuestionAsker = { kind: 'session', id: null, name: null, about: null };

export const agentAsker = ({ id, type, about }: StartedAgent): QuestionAsker => ({
  ...{ kind: 'agent', id, name: type, about },
});

/**
 * Returns what a verdict says about a question, so that `because` explains why a session waits while its own turn runs
 * on or is over.
 */
export function evidenceOf(asker: QuestionAsker, about: string, isTurnRunning: boolean): string {
  if (asker.kind !== 'agent') return about;
  const who = asker.name === null ? 'an agent' : `an agent (${asker.name})`;
  return `${who} asks while the turn ${isTurnRunning ? 'runs on' : 'is over'}: ${about}`;
}

/** What is known about an open dialog. */
export interface DialogSources {
  kind: DialogKind;
  dialog: ScreenDialog | null;
  tool: PendingTool | null;
  openedAt: Millis;
  movedMs: number;
}

/** Returns the identity of a tool call that opens a dialog. */
export const callIdentity = (kind: DialogKind, tool: PendingTool, movedMs: number): string =>
  fingerprint([kind, tool.id ?? `${tool.name} ${tool.at - movedMs}`]);

/** Returns what the screen shows of a dialog, whatever hooks report about it. */
export function drawnDialog({ kind, dialog, openedAt, movedMs }: Omit<DialogSources, 'tool'>): DrawnDialog {
  const first = drawnParts({ kind, dialog, tool: null })[0];
  const labels = (first?.options ?? []).map((option) => option.label);
  return { looks: fingerprint([kind, first?.text ?? '', ...labels]), openedAt: openedAt - movedMs };
}

/** Returns the identity of a dialog that only the screen shows. */
export const drawnIdentity = ({ looks, openedAt }: DrawnDialog): string => fingerprint([looks, String(openedAt)]);

/**
 * Builds the question for an open dialog. If hooks report the tool call, the call's id serves as the question's
 * identity. This identity does not change when the options appear on the screen or when the server restarts. Otherwise,
 * CBOS computes the identity from what the screen shows. `identify` keeps the identity that was shown first.
 */
export function dialogQuestion(sources: DialogSources): Question {
  const { kind, dialog, tool, openedAt, movedMs } = sources;
  const questions = tool?.wait === undefined ? drawnParts(sources) : toldParts(kind, tool, dialog);
  const first = questions[0];
  const text = first?.text ?? (tool === null ? '' : describeTool(tool));
  const askedAt = tool?.requestedAt ?? openedAt;
  return {
    id: tool === null ? drawnIdentity(drawnDialog(sources)) : callIdentity(kind, tool, movedMs),
    kind,
    text,
    tool: tool === null ? null : { name: tool.name, input: tool.input ?? null },
    options: first?.options ?? [],
    multi: first?.multi ?? false,
    questions,
    ...(tool?.cut === true || (tool === null && WITHHELD.test(text)) ? { cut: true } : {}),
    ...(dialog?.reason === undefined ? {} : { reason: dialog.reason }),
    asked_at: iso(askedAt),
    asker: askerOfTool(tool),
  };
}

/** Returns who made a call. A dialog whose call is unknown counts as the session's own. */
export function askerOfTool(tool: PendingTool | null): QuestionAsker {
  if (tool?.agent == null) return SESSION_ASKER;
  return agentAsker({ id: tool.agent, type: tool.agentType ?? null, about: null });
}

/**
 * Returns the question as its dialog shows it, for answers that are given as keypresses. The dialog may number the
 * options differently from the hook.
 */
export function asDrawn(question: Question, dialog: ScreenDialog): Question {
  const [first, ...others] = question.questions;
  const drawn = dialog.parts[0];
  if (question.kind === 'question' || question.kind === 'closing' || first === undefined || drawn === undefined)
    return question;
  const { options } = drawn;
  return { ...question, options, questions: [{ ...first, options }, ...others] };
}

/**
 * Returns the parts of the question as the screen shows them. A dialog's text is drawn first, and its options are known
 * when the dialog is completely drawn.
 */
function drawnParts({ kind, tool, dialog }: Pick<DialogSources, 'kind' | 'tool' | 'dialog'>): QuestionPart[] {
  const asked = kind === 'question' && tool !== null ? askedQuestions(tool.input) : [];
  const parts = mergeParts(asked, dialog?.parts ?? []);
  return dialog?.isWhole === false ? parts.map((part) => ({ ...part, options: [] })) : parts;
}

/**
 * Returns the parts of the question as reported by the hook that is waiting for the reply. They are complete from the
 * start, and their order does not change when the dialog is drawn. Options that exist only in the dialog are appended.
 */
function toldParts(kind: DialogKind, tool: PendingTool, dialog: ScreenDialog | null): QuestionPart[] {
  const asked = askedQuestions(tool.input);
  if (kind === 'question' && asked.length > 0) return asked.map(withDialogOptions);
  const options = kind === 'plan' ? PLAN_OPTIONS : permissionOptions(tool.wait?.suggestions ?? []);
  const text = dialog?.parts[0]?.text || (kind === 'plan' ? planOf(tool) : describeTool(tool));
  const drawn = dialog?.isWhole === true ? dialog.parts[0] : undefined;
  return [withDrawnOptions({ header: null, text, options: [...options], multi: false }, drawn)];
}

const planOf = ({ input }: PendingTool): string => (isRecord(input) ? stringOf(input.plan) : '') || 'Exit plan mode?';

/**
 * Hooks report all questions in full. The screen shows which options really exist, because Claude Code adds a free-text
 * option.
 */
function mergeParts(asked: readonly QuestionPart[], shown: readonly QuestionPart[]): QuestionPart[] {
  const drawn = shown[0];
  if (asked.length === 0) return [...shown];
  if (drawn === undefined) return asked.map((part) => ({ ...part, options: [] }));
  return asked.map((part) => {
    const isDrawn = squeeze(part.text) === squeeze(drawn.text);
    const extra = drawn.options
      .slice(part.options.length)
      .filter((option) => !part.options.some((own) => own.label === option.label));
    // Claude's own options are taken from the hook. On the screen, long labels are wrapped and previews are drawn next
    // to them.
    return { ...part, options: isDrawn ? [...part.options, ...extra] : part.options };
  });
}

const QUESTION_MARK = /[?？؟]["'”’»)\]*_`]*\s*$/;

/** Returns the last paragraph of a message if the message ends with a question, or null otherwise. */
export function closingQuestion(message: string | null): string | null {
  if (message === null || !QUESTION_MARK.test(message)) return null;
  return (
    message
      .trim()
      .split(/\n\s*\n/)
      .at(-1)
      ?.trim() ?? null
  );
}

/** Builds the question for a message that ends with a question while no dialog is open. */
export function asClosing({ text, endedAt, movedMs }: { text: string; endedAt: Millis; movedMs: number }): Question {
  return {
    id: fingerprint(['closing', text, String(endedAt - movedMs)]),
    kind: 'closing',
    text,
    tool: null,
    options: [],
    multi: false,
    questions: [],
    asked_at: iso(endedAt),
    asker: SESSION_ASKER,
  };
}
