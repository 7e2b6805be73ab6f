import type { OptionMeaning, QuestionOption, QuestionPart } from '../../protocol/index.ts';

/**
 * What Claude Code's own dialogs offer below the options of a question: an answer in words (2.0.77 to 2.1.330), and
 * leaving the dialog to talk about the question (2.1.50 to 2.1.330).
 */
const FREE_TEXT: Omit<QuestionOption, 'key'> = { label: 'Type something.', description: null, means: 'text' };
const LEAVE: Omit<QuestionOption, 'key'> = { label: 'Chat about this', description: null, means: 'leave' };

const numbered = (options: readonly Omit<QuestionOption, 'key'>[]): QuestionOption[] =>
  options.map((option, index) => ({ key: String(index + 1), ...option }));

export const decisions = (...all: (readonly [means: OptionMeaning, label: string])[]): QuestionOption[] =>
  numbered(all.map(([means, label]) => ({ label, description: null, means })));

const withMore = (part: QuestionPart, ...more: readonly Omit<QuestionOption, 'key'>[]): QuestionPart => ({
  ...part,
  options: numbered([...part.options, ...more].map(({ label, description, means }) => ({ label, description, means }))),
});

/** Adds the free-text option: a question of the model's own also takes an answer in words. */
export const withFreeText = (part: QuestionPart): QuestionPart => withMore(part, FREE_TEXT);

/** Adds every option that the dialog in a terminal has. */
export const withDialogOptions = (part: QuestionPart): QuestionPart => withMore(part, FREE_TEXT, LEAVE);

/** A plan's options in the order of Claude Code's own dialog (2.0.77 to 2.1.330). */
export const PLAN_OPTIONS: readonly QuestionOption[] = decisions(
  ['always', 'Yes, and auto-accept edits'],
  ['yes', 'Yes, and manually approve edits'],
  ['text', 'Tell Claude what to change'],
);

/**
 * A permission's options. `always` is among them only if Claude Code suggests what to allow, and if the label can say
 * all of it.
 */
export function permissionOptions(suggestions: readonly unknown[]): QuestionOption[] {
  const standing = standingPermissions(suggestions);
  const always = standing === null ? [] : [['always', `Yes, and ${standing.about}`] as const];
  return decisions(['yes', 'Yes'], ...always, ['no', 'No']);
}

/** Adds the `always` and `more` options of a drawn permission or plan if no option of `part` has the same meaning. */
export function withDrawnOptions(part: QuestionPart, drawn: QuestionPart | undefined): QuestionPart {
  const isMore = ({ means }: QuestionOption): boolean =>
    (means === 'always' || means === 'more') && !part.options.some((option) => option.means === means);
  return withMore(part, ...(drawn?.options ?? []).filter(isMore));
}

/** What "always" allows beyond this one call. */
export interface StandingPermissions {
  /** as Claude Code suggested them */
  updates: readonly unknown[];
  /** all of them: "don't ask again for Bash ls:*" */
  about: string;
}

/**
 * What "always" would allow: everything that Claude Code suggests, because a part of it does not hold. The label of
 * Claude Code's own option names only the folder, yet the option also switches to accepting edits (2.0.77, 2.1.330).
 * Null if Claude Code suggests nothing, or anything that has no words here.
 */
export function standingPermissions(suggestions: readonly unknown[]): StandingPermissions | null {
  const told = suggestions.map(tellUpdate);
  if (told.length === 0 || told.includes(null)) return null;
  return { updates: suggestions, about: told.join(' and ') };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** How long an update holds, unless it is permanent. */
const holds = (update: Readonly<Record<string, unknown>>): string =>
  update.destination === 'session' ? ' during this session' : '';

function tellUpdate(update: unknown): string | null {
  if (!isRecord(update)) return null;
  switch (update.type) {
    case 'addRules': {
      if (update.behavior !== undefined && update.behavior !== 'allow') return null;
      const rules = (Array.isArray(update.rules) ? update.rules : []).filter(isRecord);
      const named = rules.map((rule) => texts([rule.toolName, rule.ruleContent]).join(' '));
      return named.length === 0 ? null : `don't ask again for ${named.join(', ')}${holds(update)}`;
    }
    case 'addDirectories': {
      const directories = texts(update.directories);
      return directories.length === 0 ? null : `allow access to ${directories.join(', ')}${holds(update)}`;
    }
    case 'setMode':
      return update.mode === 'acceptEdits' ? `allow all edits${holds(update)}` : null;
    default:
      return null;
  }
}
