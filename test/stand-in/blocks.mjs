// The rows of what was said and done: prompts, answers, tools.
import { relative } from 'node:path';
import { shortPath } from './dialogs.mjs';
import { recordedRow, recordedRows, widthOf, wrap } from './screen.mjs';

const NBSP = '\u00a0';
/** The sign of an error, in the yellow that only Claude Code's own reports have. */
const ALERT = '\x1b[38;5;220m●\x1b[39m ';
/** What precedes the result of a tool. */
const RESULT = `  ⎿ ${NBSP}`;

/**
 * The first row with a mark, the others with an indent.
 * @param {string[]} rows @param {string} mark @param {string} indent
 */
const marked = (rows, mark, indent = '  ') =>
  rows.map((row, at) => (row === '' && at > 0 ? '' : (at === 0 ? mark : indent) + row));

/** @type {Record<string, (block: any, cols: number) => string[]>} */
export const ROWS_OF = {
  sent: ({ text, isInterrupted, results = [] }, cols) => [
    ...marked(wrap(text, cols - 3), '❯ '),
    ...(isInterrupted ? recordedRows('interrupted') : []),
    ...marked(
      results.flatMap((/** @type {string} */ result) => wrap(result, cols - 5)),
      RESULT,
      '     ',
    ),
  ],
  answer: ({ text = '', isError, isInterrupted }, cols) => [
    ...marked(wrap(text.trimEnd().replaceAll(/^```.*\n/gm, ''), cols - 2), isError ? ALERT : '● '),
    ...(isInterrupted ? recordedRows('interrupted') : []),
  ],
  note: ({ text }) => [recordedRow('result', { text })],
  output: ({ lines }) => marked(lines, RESULT, '     '),
  command: ({ name, said }) => [`❯ ${name}`, `${RESULT}${said}`],
  thought: ({ seconds }) => [recordedRow('thought', { seconds })],
  worked: ({ row }) => [row],
  compacted: ({ file }, cols) => [
    recordedRow('compacted'),
    ...marked(wrap(`Earlier messages are saved in ${file}`, cols - 4), '  '),
    '',
  ],
  tool: (block, cols) => [
    ...toolRows(block, cols),
    ...(block.by === undefined ? [] : [`${RESULT}${block.by} by PermissionRequest hook`]),
  ],
};

/** The least width of the box around a rejected plan. */
const LEAST_PLAN_COLS = 19;

/** @param {string | undefined} plan */
function rejectedPlan(plan = 'No plan found') {
  const lines = plan.split('\n').map((line) => line.replace(/^#+ /, '').replaceAll('`', ''));
  const width = Math.max(LEAST_PLAN_COLS, ...lines.map(widthOf));
  const edge = '─'.repeat(width + 2);
  const inner = lines.map((line) => `     │ ${line}${' '.repeat(width - widthOf(line))} │`);
  return [`${RESULT}Rejected Claude's plan:`, `     ╭${edge}╮`, ...inner, `     ╰${edge}╯`];
}

/** A command that is shown like the tool that reads a file. */
const READS_A_FILE = /^(cat|head|tail) [^|;&<>]*$/;

/** @param {any} block @param {number} cols */
function toolRows({ call, state, lines, cwd, planFile, output }, cols) {
  const { name, input } = call;
  if (name === 'AskUserQuestion') return questionRows(input, state, lines);
  if (name === 'Read' || READS_A_FILE.test(input.command ?? '')) {
    if (state !== 'done' && state !== 'failed') return [];
    return [recordedRow('read', { count: 1 }).replace(' (', state === 'failed' ? ' · 1 failed (' : ' (')];
  }
  if (name === 'ExitPlanMode') {
    if (state === 'interrupted' || state === 'failed') return rejectedPlan(input.plan);
    const plan = lines.map((/** @type {string} */ line) =>
      `     ${line.replace(/^#+ /, '').replaceAll('`', '')}`.trimEnd(),
    );
    return state === 'done' ? [...recordedRows('approved', { file: shortPath(planFile) }), ...plan] : [];
  }
  const isPlan = input.file_path === planFile;
  const head =
    name === 'Bash'
      ? marked(wrap(recordedRow('command', { command: input.command }).slice(2), cols - 2), '● ', '      ')
      : name === 'Write'
        ? [
            isPlan
              ? recordedRow('writePlan')
              : recordedRow('write', {
                  name: relative(cwd, input.file_path.startsWith('/') ? input.file_path : `${cwd}/${input.file_path}`),
                }),
          ]
        : [`● ${name}(${relative(cwd, input.file_path ?? '')})`];
  if (state === 'interrupted') return [...head, ...recordedRows('interrupted')];
  if (name === 'Write' && state !== 'done' && state !== 'failed') return head;
  if (state === 'waiting') return [...head, recordedRow('waiting')];
  if (state === 'running') {
    const shown = (output ?? '').trimEnd();
    return [
      ...head,
      ...(shown === '' ? [recordedRow('running')] : marked(shown.split('\n').slice(-5), RESULT, '     ')),
    ];
  }
  const rows = lines.flatMap((/** @type {string} */ line) => wrap(line, cols - 6));
  const most = 4;
  const shown =
    name === 'Bash' && rows.length > most
      ? [...rows.slice(0, most - 1), `… +${rows.length - most + 1} lines (ctrl+o to expand)`]
      : rows;
  return [...head, ...marked(shown, RESULT, '     ').map((row) => row.trimEnd())];
}

/** @param {any} input @param {string} state @param {string[]} lines */
function questionRows({ questions }, state, lines) {
  if (state === 'done') return [recordedRow('answered'), ...marked(lines, RESULT, '     ')];
  if (state !== 'interrupted' && state !== 'failed') return [];
  const asked = questions.map(
    (/** @type {any} */ { question, options }) =>
      `· ${question} (${options.map((/** @type {any} */ { label }) => label).join(' / ')})`,
  );
  return [recordedRow('declined'), ...marked(asked, RESULT, '     ')];
}
