import { type Question, type QuestionPart, tellingField } from '../../protocol/index.ts';
import { PLAN_OPTIONS, permissionOptions, withDialogOptions, withDrawnOptions } from './asked-options.ts';
import type { PendingTool } from './evidence.ts';
import { hasSameInput } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';
import { meaningOfAnswer } from './option-meaning.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';

export type DialogKind = ScreenDialog['kind'];

/** Returns the kind of dialog that a tool's permission request opens. */
export function dialogKindOf(toolName: string): DialogKind {
  if (toolName === 'AskUserQuestion') return 'question';
  return toolName === 'ExitPlanMode' ? 'plan' : 'permission';
}

// Combines two 32-bit FNV-1a hashes. The result is not cryptographic. It only has to differ between dialogs.
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

/** Returns all questions in the input of AskUserQuestion. The screen shows only one tab at a time. */
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
 * Returns the part of a tool call that a person recognises: the first line of the command, the file, or the address,
 * cut to 200 characters.
 */
export function describeTool(tool: { name: string; input: unknown }): string {
  const line = tellingField(tool.input)?.split('\n')[0] ?? '';
  return line === '' ? tool.name : `${tool.name}: ${line.length > 200 ? `${line.slice(0, 200)}…` : line}`;
}

const squeeze = (value: string): string => value.replace(/\s+/g, '');

/**
 * Caches the results of `toldBy`. An input can be 200 kB long and is compared with a dialog at each frame of its
 * session.
 */
const told = new WeakMap<PendingTool, string[]>();

const shownText = (dialog: ScreenDialog): string => dialog.parts.map((part) => part.text).join('\n');

/** Returns the parts of a call that its dialog repeats, without blanks. */
function toldBy(tool: PendingTool): string[] {
  const known = told.get(tool);
  if (known !== undefined) return known;
  const input = isRecord(tool.input) ? tool.input : {};
  const fields = ['command', 'file_path', 'notebook_path', 'url'].map((key) => stringOf(input[key]));
  const texts = [...fields, ...askedQuestions(input).map(({ text }) => text)].map(squeeze).filter((one) => one !== '');
  told.set(tool, texts);
  return texts;
}

/**
 * Returns how many characters of a call are repeated in a dialog on the screen; 0 if the dialog is about something
 * else.
 */
function mentioned(dialog: ScreenDialog, tool: PendingTool): number {
  const shown = squeeze(shownText(dialog));
  return Math.max(0, ...toldBy(tool).flatMap((one) => (shown.includes(one.slice(0, 60)) ? [one.length] : [])));
}

/**
 * Reports whether a part of a call fills whole lines of a dialog. A command that merely contains that part is a
 * different command.
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

/** Matches a string that a terminal shows exactly as it is written. */
const PLAIN = /^[\x20-\x7e\n]+$/;

const MARKDOWN = /[`*_~#]/;

/**
 * Matches the beginning of the summary that follows the last of several questions. The summary repeats the questions,
 * but a window may cut them off.
 */
const SUMMARY = /^\s*Review your answers\b/;

/**
 * Reports whether a dialog is about another call. The dialog of a command shows the command, and a dialog with
 * questions shows one of them. The hook of another call may not have arrived yet while an interrupted call is still
 * remembered.
 */
function isAboutAnother(dialog: ScreenDialog, tool: PendingTool): boolean {
  if (dialog.kind === 'question') return isOtherQuestion(dialog, tool);
  const command = isRecord(tool.input) ? stringOf(tool.input.command) : '';
  const isOfCommand = tool.name === 'Bash' && /^\s*Bash command\b/.test(dialog.parts[0]?.text ?? '');
  return isOfCommand && PLAIN.test(command) && !WITHHELD.test(shownText(dialog)) && mentioned(dialog, tool) === 0;
}

/** What the dialog shows instead of a command of several thousand characters (2.1.330). */
const WITHHELD = /^\s*\(value cannot be shown in full\b.*\)\s*$/m;

function isOtherQuestion(dialog: ScreenDialog, tool: PendingTool): boolean {
  const shown = dialog.parts[0]?.text ?? '';
  const asked = askedQuestions(tool.input).map(({ text }) => text);
  // If a window cuts off the top of a question, its end is still visible. A string that is drawn differently from how
  // it is written proves nothing.
  const isShown = (text: string): boolean =>
    !PLAIN.test(text) ||
    MARKDOWN.test(text) ||
    squeeze(text).endsWith(squeeze(shown)) ||
    squeeze(shown).includes(squeeze(text));
  return shown !== '' && !SUMMARY.test(shown) && asked.length > 0 && !asked.some(isShown);
}

/**
 * Returns the call that an open dialog asks about, among the calls that open a dialog of its kind. `tools` still
 * contains interrupted calls, because no hook reports an interrupt. Only one question or plan can be open at a time,
 * so the newest one is open. Permissions of several agents can be open at once.
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

/**
 * Returns the permission whose hook has waited longest, among those that the dialog may be about. Null if no hook
 * waits.
 */
export function longestWaiting(dialog: ScreenDialog, tools: readonly PendingTool[]): PendingTool | null {
  if (dialog.kind !== 'permission') return null;
  const isMeant = (tool: PendingTool): boolean =>
    tool.wait !== undefined && dialogKindOf(tool.name) === 'permission' && !isAboutAnother(dialog, tool);
  return tools.find(isMeant) ?? null;
}

/**
 * Returns the call that a permission's dialog asks about. If the candidates differ, it is the only call that the
 * dialog shows in full, or null if there is not exactly one. The agent chooses the wording, so two commands may begin
 * alike, or the description of one may repeat the other. A wrong guess would let a person allow something that they
 * cannot see. If the result is null, CBOS relies on what the dialog shows.
 */
function permissionBehind(dialog: ScreenDialog, candidates: readonly PendingTool[]): PendingTool | null {
  const [only] = candidates;
  // If two inputs are cut, CBOS cannot know whether they end alike.
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
 * Reports whether the dialog of `tool` could show the text of `other`, or draws its own text differently from how it
 * is written.
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
 * Builds the question of an open dialog. If hooks name the tool call, the id of the call is the question's identity.
 * That identity does not change when the options appear on the screen or when the server restarts. Otherwise the
 * identity is computed from the dialog and the moment when it opened, measured by the clock before any step.
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
 * Returns the question as its dialog shows it, for answers by keypresses. The dialog may number the options
 * differently from the hook.
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
 * Returns the parts as the screen shows them. The text of a dialog is drawn first. Its options are known once the
 * dialog is drawn to its end.
 */
function drawnParts({ kind, tool, dialog }: DialogSources): QuestionPart[] {
  const asked = kind === 'question' && tool !== null ? askedQuestions(tool.input) : [];
  const parts = mergeParts(asked, dialog?.parts ?? []);
  return dialog?.isWhole === false ? parts.map((part) => ({ ...part, options: [] })) : parts;
}

/**
 * Returns the parts as reported by the hook that waits for the reply. They are complete from the start, and drawing
 * never changes their order. Further options of the dialog are appended.
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
 * Hooks report all questions in full. The screen shows which options really exist, because Claude Code adds a
 * free-text option.
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
    // The model's own options come from the hook. On the screen, long labels wrap and previews are drawn beside them.
    return { ...part, options: isDrawn ? [...part.options, ...extra] : part.options };
  });
}

const QUESTION_MARK = /[?？؟]["'”’»)\]*_`]*\s*$/;

/** Returns the last paragraph of a message if the message ends with a question, and null otherwise. */
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

/** Builds the question for a message that ends with a question, without an open dialog. */
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
