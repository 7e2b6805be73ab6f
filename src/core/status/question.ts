import { type Question, type QuestionPart, tellingField } from '../../protocol/index.ts';
import { PLAN_OPTIONS, permissionOptions, withDialogOptions, withDrawnOptions } from './asked-options.ts';
import type { PendingTool } from './evidence.ts';
import { hasSameInput } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';
import { meaningOfAnswer } from './option-meaning.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';

export type DialogKind = ScreenDialog['kind'];

/** The kind of dialog that a tool's permission request opens. */
export function dialogKindOf(toolName: string): DialogKind {
  if (toolName === 'AskUserQuestion') return 'question';
  return toolName === 'ExitPlanMode' ? 'plan' : 'permission';
}

// Two 32-bit FNV-1a sums. This is not cryptography: different dialogs only need different names.
function fingerprint(parts: readonly string[]): string {
  const textOf = parts.join('\u0000');
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let index = 0; index < textOf.length; index++) {
    const code = textOf.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000193) ^ (a >>> 15);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** All questions in the input of AskUserQuestion; the screen shows only one tab at a time. */
export function askedQuestions(input: unknown): QuestionPart[] {
  const list = isRecord(input) && Array.isArray(input.questions) ? input.questions : [];
  return list.filter(isRecord).map((question) => ({
    header: stringOf(question.header) || null,
    text: stringOf(question.question),
    multi: question.multiSelect === true,
    options: (Array.isArray(question.options) ? question.options : []).filter(isRecord).map((option, index) => ({
      key: String(index + 1),
      label: stringOf(option.label),
      description: stringOf(option.description) || null,
      means: meaningOfAnswer(stringOf(option.label)),
    })),
  }));
}

/**
 * The part of a tool call that a person recognises: the command, the file or the address. Only its first line, cut to
 * 200 characters.
 */
export function describeTool(tool: { name: string; input: unknown }): string {
  const line = tellingField(tool.input)?.split('\n')[0] ?? '';
  return line === '' ? tool.name : `${tool.name}: ${line.length > 200 ? `${line.slice(0, 200)}…` : line}`;
}

const squeeze = (value: string): string => value.replace(/\s+/g, '');

/** Caches `toldBy`: an input can have 200 kB, and it is compared with a dialog at each frame of its session. */
const told = new WeakMap<PendingTool, string[]>();

const shownText = (dialog: ScreenDialog): string => dialog.parts.map((part) => part.text).join('\n');

/** The parts of a call that its dialog repeats, without blanks. */
function toldBy(tool: PendingTool): string[] {
  const known = told.get(tool);
  if (known !== undefined) return known;
  const input = isRecord(tool.input) ? tool.input : {};
  const fields = ['command', 'file_path', 'notebook_path', 'url'].map((key) => stringOf(input[key]));
  const texts = [...fields, ...askedQuestions(input).map(({ text }) => text)].map(squeeze).filter((one) => one !== '');
  told.set(tool, texts);
  return texts;
}

/** How many characters of a call a dialog on the screen repeats; 0 if the dialog is about something else. */
function mentioned(dialog: ScreenDialog, tool: PendingTool): number {
  const shown = squeeze(shownText(dialog));
  return Math.max(0, ...toldBy(tool).flatMap((one) => (shown.includes(one.slice(0, 60)) ? [one.length] : [])));
}

/**
 * Whether a part of a call fills whole lines of a dialog. A command that merely contains that part is another command.
 */
function fillsLines(dialog: ScreenDialog, tool: PendingTool): boolean {
  let shown = '';
  const edges = new Set([0]);
  for (const line of shownText(dialog).split('\n')) {
    shown += squeeze(line.replace(/^\s*│|│\s*$/g, ''));
    edges.add(shown.length);
  }
  return toldBy(tool).some((told) => {
    for (let at = shown.indexOf(told); at >= 0; at = shown.indexOf(told, at + 1))
      if (edges.has(at) && edges.has(at + told.length)) return true;
    return false;
  });
}

/** A text that a terminal shows exactly as it is written. */
const PLAIN = /^[\x20-\x7e\n]+$/;

const MARKDOWN = /[`*_~#]/;

/**
 * Begins the summary after the last of several questions. The summary repeats the questions, but a window may cut them
 * off.
 */
const SUMMARY = /^\s*Review your answers\b/;

/**
 * Whether a dialog is about another call. The dialog of a command shows the command, and a dialog with questions shows
 * one of them. The hook of another call may still be on its way while an interrupted call is remembered.
 */
function isAboutAnother(dialog: ScreenDialog, tool: PendingTool): boolean {
  if (dialog.kind === 'question') return isOtherQuestion(dialog, tool);
  const command = isRecord(tool.input) ? stringOf(tool.input.command) : '';
  const isOfCommand = tool.name === 'Bash' && /^\s*Bash command\b/.test(dialog.parts[0]?.text ?? '');
  return isOfCommand && PLAIN.test(command) && !WITHHELD.test(shownText(dialog)) && mentioned(dialog, tool) === 0;
}

/** What the dialog shows instead of a command of some thousand characters (2.1.330). */
const WITHHELD = /^\s*\(value cannot be shown in full\b.*\)\s*$/m;

function isOtherQuestion(dialog: ScreenDialog, tool: PendingTool): boolean {
  const shown = dialog.parts[0]?.text ?? '';
  const asked = askedQuestions(tool.input).map(({ text }) => text);
  // A window that cuts a question off at the top shows its end. A text that is drawn differently from how it is written
  // proves nothing.
  const isShown = (text: string): boolean =>
    !PLAIN.test(text) ||
    MARKDOWN.test(text) ||
    squeeze(text).endsWith(squeeze(shown)) ||
    squeeze(shown).includes(squeeze(text));
  return shown !== '' && !SUMMARY.test(shown) && asked.length > 0 && !asked.some(isShown);
}

/**
 * The call that an open dialog asks about, among the calls that open a dialog of its kind. Interrupted calls are still
 * among `tools`, because no hook reports an interrupt. Of questions and plans, the newest is then the open one, for
 * there is never more than one. Permissions of several agents can be open at once.
 */
export function toolBehind(dialog: ScreenDialog, tools: readonly PendingTool[]): PendingTool | null {
  const fitting = tools.filter((tool) => dialogKindOf(tool.name) === dialog.kind && !isAboutAnother(dialog, tool));
  const asked = fitting.filter((tool) => tool.requestedAt !== null);
  const candidates = asked.length > 0 ? asked : fitting;
  if (dialog.kind === 'permission') return permissionBehind(dialog, candidates);
  const lengths = candidates.map((tool) => mentioned(dialog, tool));
  const most = Math.max(0, ...lengths);
  return (most > 0 ? candidates[lengths.indexOf(most)] : candidates.at(-1)) ?? null;
}

/** Of the permissions that a dialog may be about, the one whose hook has waited longest; null if none waits. */
export function longestWaiting(dialog: ScreenDialog, tools: readonly PendingTool[]): PendingTool | null {
  if (dialog.kind !== 'permission') return null;
  const isMeant = (tool: PendingTool): boolean =>
    tool.wait !== undefined && dialogKindOf(tool.name) === 'permission' && !isAboutAnother(dialog, tool);
  return tools.find(isMeant) ?? null;
}

/**
 * The call of a permission's dialog. If the candidates differ, this is the only call that the dialog shows whole; null
 * if that is ambiguous. The agent chooses the wording: two commands may begin the same, or the description of one may
 * repeat the other. A person could then allow something that they do not see. If the call is null, CBOS goes by what
 * the dialog shows.
 */
function permissionBehind(dialog: ScreenDialog, candidates: readonly PendingTool[]): PendingTool | null {
  const [only] = candidates;
  // If two inputs are cut, nobody knows whether they end the same.
  const isSame = (one: PendingTool, other: PendingTool): boolean =>
    one === other || (one.cut !== true && other.cut !== true && hasSameInput(one, other));
  const isOne = (calls: readonly PendingTool[]): boolean => calls.every((call) => isSame(call, calls[0] ?? call));
  if (only === undefined || isOne(candidates)) return only ?? null;
  const whole = candidates.filter((tool) => fillsLines(dialog, tool));
  const [found] = whole;
  if (found === undefined || !isOne(whole)) return null;
  return candidates.some((other) => !isSame(other, found) && couldShow(other, found)) ? null : found;
}

/**
 * Whether the dialog of `tool` could show the text of `other`, or shows its own text differently from how it is
 * written.
 */
function couldShow(tool: PendingTool, other: PendingTool): boolean {
  const own = toldBy(tool);
  return stringsOf(tool.input).some(
    (one) =>
      !PLAIN.test(one) || (!own.includes(squeeze(one)) && toldBy(other).some((told) => squeeze(one).includes(told))),
  );
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return isRecord(value) ? Object.values(value).flatMap(stringsOf) : [];
}

const iso = (at: Millis): string => new Date(at).toISOString();

/** What is known about an open dialog. */
export interface DialogSources {
  kind: DialogKind;
  dialog: ScreenDialog | null;
  tool: PendingTool | null;
  openedAt: Millis;
  movedMs: number;
}

/**
 * The question of an open dialog. If hooks name the tool call, its id is the question's identity. That identity stays
 * the same when the options appear on the screen, and across restarts of the server. Otherwise the identity is made of
 * the dialog and of the moment when it opened. That moment is by the clock as it was before any step.
 */
export function dialogQuestion(sources: DialogSources): Question {
  const { kind, dialog, tool, openedAt, movedMs } = sources;
  const questions = tool?.wait === undefined ? drawnParts(sources) : toldParts(kind, tool, dialog);
  const first = questions[0];
  const text = first?.text ?? (tool === null ? '' : describeTool(tool));
  const askedAt = tool?.requestedAt ?? openedAt;
  const identity =
    tool === null
      ? [kind, text, ...(first?.options ?? []).map((option) => option.label), String(openedAt - movedMs)]
      : [kind, tool.id ?? `${tool.name} ${tool.at - movedMs}`];
  return {
    id: fingerprint(identity),
    kind,
    text,
    tool: tool === null ? null : { name: tool.name, input: tool.input ?? null },
    options: first?.options ?? [],
    multi: first?.multi ?? false,
    questions,
    ...(tool?.cut === true || (tool === null && WITHHELD.test(text)) ? { cut: true } : {}),
    asked_at: iso(askedAt),
  };
}

/**
 * The question as its dialog shows it, for answers by keys: the dialog may number the options differently from the
 * hook.
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
 * The parts as the screen shows them. The text of a dialog is drawn first; its options are known once the dialog is
 * drawn to its end.
 */
function drawnParts({ kind, tool, dialog }: DialogSources): QuestionPart[] {
  const asked = kind === 'question' && tool !== null ? askedQuestions(tool.input) : [];
  const parts = mergeParts(asked, dialog?.parts ?? []);
  return dialog?.isWhole === false ? parts.map((part) => ({ ...part, options: [] })) : parts;
}

/**
 * The parts as reported by the hook that waits for the reply: complete at once, in an order that no drawing changes.
 * Further options of the dialog come after them.
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
 * Hooks report all questions in full. The screen shows which options really exist: Claude Code adds a free-text option.
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
    // The model's own options come from the hook: on the screen, long labels wrap and previews stand beside them.
    return { ...part, options: isDrawn ? [...part.options, ...extra] : part.options };
  });
}

const QUESTION_MARK = /[?？؟]["'”’»)\]*_`]*\s*$/;

/** The last paragraph of a message if it ends with a question; otherwise null. */
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

/** A question in words at the end of a turn. */
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
  };
}
