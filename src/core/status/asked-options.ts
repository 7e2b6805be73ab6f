import type { OptionMeaning, QuestionOption, QuestionPart } from '../../protocol/index.ts';

/**
 * The options that Claude Code adds to every question: one that lets users answer in their own words (2.0.77 to
 * 2.1.330), and one that leaves the dialog to talk about the question (2.1.50 to 2.1.330).
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

/** Adds the free-text option, because Claude's own questions also accept an answer in the user's own words. */
export const withFreeText = (part: QuestionPart): QuestionPart => withMore(part, FREE_TEXT);

/**
 * Adds every option that the dialog has in a terminal, with the same wording, so that the options do not change when
 * the dialog is drawn. If the question has checkboxes, the label of the free-text option does not end with a full stop
 * (2.1.50 to 2.1.330).
 */
export const withDialogOptions = (part: QuestionPart): QuestionPart =>
  withMore(part, part.multi ? { ...FREE_TEXT, label: 'Type something' } : FREE_TEXT, LEAVE);

/** The options for a plan, in the order of Claude Code's own dialog (2.0.77 to 2.1.330). */
export const PLAN_OPTIONS: readonly QuestionOption[] = decisions(
  ['always', 'Yes, and auto-accept edits'],
  ['yes', 'Yes, and manually approve edits'],
  ['text', 'Tell Claude what to change'],
);

/**
 * Returns the options for a permission request. They include `always` only if Claude Code suggests what to allow and
 * the label can name all of it.
 */
export function permissionOptions(suggestions: readonly unknown[]): QuestionOption[] {
  const standing = standingPermissions(suggestions);
  const always = standing === null ? [] : [['always', `Yes, and ${standing.about}`] as const];
  return decisions(['yes', 'Yes'], ...always, ['no', 'No']);
}

/**
 * Adds the `always` and `more` options that a permission or plan dialog shows, unless `part` already has an option with
 * the same meaning.
 */
export function withDrawnOptions(part: QuestionPart, drawn: QuestionPart | undefined): QuestionPart {
  const isMore = ({ means }: QuestionOption): boolean =>
    (means === 'always' || means === 'more') && !part.options.some((option) => option.means === means);
  return withMore(part, ...(drawn?.options ?? []).filter(isMore));
}

/** The permission that an "always" grants beyond the current call. */
export interface StandingPermissions {
  /** the permission, in the form that Claude Code suggested */
  updates: readonly unknown[];
  /** a description of the whole permission, such as "don't ask again for Bash ls:*" */
  about: string;
}

/**
 * Returns what an "always" would allow, or null if Claude Code suggests nothing or if CBOS cannot describe one of the
 * suggestions. The result covers everything that Claude Code suggests, because some suggestions have no effect alone.
 * The label of Claude Code's own option names only the folder, although the option also switches to accepting edits
 * (2.0.77, 2.1.330).
 */
export function standingPermissions(suggestions: readonly unknown[]): StandingPermissions | null {
  const told = suggestions.map(tellUpdate);
  if (told.length === 0 || told.includes(null)) return null;
  return { updates: suggestions, about: told.join(' and ') };
}

/**
 * Returns what an "always" would allow if it is limited to a session or a project, regardless of where Claude Code
 * suggests storing it. Returns null if the permission cannot be stored there: a mode, for example, belongs to a
 * session.
 */
export function standingFor(suggestions: readonly unknown[], reach: 'session' | 'project'): StandingPermissions | null {
  const destination = reach === 'session' ? 'session' : 'localSettings';
  const updates = suggestions.map((one) => (isRecord(one) ? { ...one, destination } : one));
  const standing = standingPermissions(updates);
  if (standing === null || reach === 'session') return standing;
  const hasMode = updates.some((one) => isRecord(one) && one.type === 'setMode');
  return hasMode ? null : { updates, about: `${standing.about} in this project` };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** How long a permission update lasts, unless it is permanent. */
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
