/** What differs between two runs of the same scene: ids, times, paths, and the words of the spinner. */
export interface Neutral {
  paths: readonly (readonly [path: string, instead: string])[];
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export function neutralText(text: string, { paths }: Neutral): string {
  let neutral = text;
  for (const [path, instead] of paths) {
    const dashed = path.replaceAll(/[^A-Za-z0-9]/g, '-');
    neutral = neutral.replaceAll(path, instead).replaceAll(dashed, instead.replaceAll('/', '-'));
  }
  return neutral
    .replaceAll(UUID, 'UUID')
    .replaceAll(/\b(msg|toolu)_\d+/g, '$1_N')
    .replaceAll(/(?<="(?:backgroundTaskId|id)":")b[a-z0-9]{8}|(?<=with ID: |\/tasks\/)b[a-z0-9]{8}/g, 'TASK')
    .replaceAll(/(pasted_content id=\\?")[0-9a-f]+/g, '$1ID')
    .replaceAll(/\bagent-a[0-9a-f]+|(?<="agent_id":")a[0-9a-f]+/g, 'agent')
    .replaceAll(/UUID\/subagents\/agent/g, 'UUID')
    .replaceAll(/\/plans\/[\w-]+\.md/g, '/plans/PLAN.md');
}

/** The hints that Claude Code gives for a while, and what depends on how fast the machine is. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/ · ← for agents/, ''],
  [/\s+(◐ medium · \/effort|auto mode disabled by settings|ctrl\+g to edit in Vim)$/, ''],
  [/─{3,}/g, '───'],
  [/╌{3,}/g, '╌╌╌'],
  [/^[·✢*✶✻✽] [A-Z]\S+… ?(\(.*\))?$/, '✻ Working…'],
  [/^✻ \S+ for [\dms ]+ · done \d+:\d\d [AP]M/, '✻ Worked for 0s · done 0:00 AM'],
  [/Thought for \d+s/, 'Thought for 0s'],
  [/^\s+\(\d+s\)$/, ''],
  [/\s+\(ctrl\+b to run in background\)$/, ''],
  [/^(Script done on ).*/, '$1…'],
  [/^(claude) .*--resume/, '$1 --resume'],
];

/** A row of an answer that an interrupt cut off somewhere. */
const LINE_OF_LONG_ANSWER = /^( {2}|● )?\d+\.( This( is.*)?)?$/;

/** Returns the rows of a screen without what differs between two runs. */
export function neutralRows(rows: readonly string[], neutral: Neutral): string[] {
  const all = rows.map((row) =>
    PASSING.reduce(
      (text, [pattern, instead]) => text.replace(pattern, instead),
      neutralText(row.trimEnd(), neutral),
    ).trimEnd(),
  );
  while (all.at(-1) === '') all.pop();
  return all.flatMap((row, at) => {
    if (!LINE_OF_LONG_ANSWER.test(row)) return [row];
    return LINE_OF_LONG_ANSWER.test(all[at - 1] ?? '') ? [] : ['● a part of the long answer'];
  });
}

/** Returns a value with its fields in order, and without numbers, which are times and sizes. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field)]));
  }
  return typeof value === 'number' ? 0 : value;
}

/** The fields of a line of the transcript that CBOS, or the person who reads it, makes something of. */
const READ_FIELDS = [
  'subtype',
  'operation',
  'content',
  'isMeta',
  'isCompactSummary',
  'isApiErrorMessage',
  'isAbortedMidStream',
  'error',
  'apiError',
] as const;
const READ_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'queue-operation']);
/** Version 2.1.330 sometimes writes that it was ended by a command, in one of four words, and sometimes does not. */
const UNSTEADY =
  /<local-command-caveat>|<command-name>\/exit<|<local-command-stdout>(Bye|Goodbye|See ya|Catch you later)!/;
/** How much of a text is compared: a summary and the words that Claude Code adds are long. */
const COMPARED_CHARS = 120;

/** Returns what a line of the transcript says, or null for one that only Claude Code itself reads. */
export function neutralLine(line: Readonly<Record<string, unknown>>, neutral: Neutral): string | null {
  if (!READ_TYPES.has(line.type) || UNSTEADY.test(JSON.stringify(line.message ?? ''))) return null;
  const { content = [] } = (line.message ?? {}) as { content?: string | Record<string, unknown>[] };
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const said = blocks.map(
    ({ type, text, name, content: result, is_error }) =>
      `${String(type)}${name === undefined ? '' : ` ${String(name)}`}${is_error === true ? ' failed' : ''}: ${cut(neutralText(String(text ?? result ?? ''), neutral))}`,
  );
  const fields = READ_FIELDS.filter((name) => line[name] !== undefined && line[name] !== false).map(
    (name) => `${name}=${cut(neutralText(String(line[name]), neutral))}`,
  );
  return [String(line.type), ...fields, ...said].join(' | ');
}

/** An answer that an interrupt cut off ends anywhere. */
const cut = (text: string): string =>
  (/^1\. This is line 1/.test(text) ? 'a part of the long answer' : (text.split('\n')[0] ?? '')).slice(
    0,
    COMPARED_CHARS,
  );
