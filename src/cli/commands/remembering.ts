import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { MemoryFilter, MemoryPage } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { answersText, lastOf } from '../../text/memory-words.ts';
import { firstLine, pathText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

const MOST_QUESTIONS = 1_000;

interface MemoryOptions {
  project?: string;
  limit?: number;
  forget?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Adds `memory`. */
export function addRemembering(program: Command, context: CliContext): void {
  const { out, io } = context;
  describe(program.command('memory'), {
    group: 'talking',
    summary: 'list the answers that you gave, or delete them',
    more: 'When a session asks the same again in the same project, CBOS shows your earlier answers, and suggests the answer if it was always the same. CBOS never gives that answer on its own. Answers given at the terminal or by rules do not count. The answers never leave this home.',
    examples: [
      ['cbos memory', 'list the questions that you answered, the most recent first'],
      ['cbos memory "npm test"', 'list only the questions that contain these words'],
      ['cbos memory --project .', 'list only the questions in this project'],
      ['cbos memory --project . --forget', 'forget the answers in this project, after you confirm'],
    ],
  })
    .argument('[text]', 'only entries with these words in the question, an answer or a session name')
    .option('--project <dir>', 'only questions in this folder or below; all worktrees of a repository count as one')
    .option('--limit <number>', 'at most this many questions (default: 200)', readWhole(1, MOST_QUESTIONS))
    .option('--forget', 'delete the answers to the matching questions, or all answers')
    .option('--yes', 'with --forget: do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action(async (q: string | undefined, { project, limit, forget, yes, json }: MemoryOptions) => {
      const client = await context.client();
      const filter: MemoryFilter = {
        ...(q === undefined ? {} : { q }),
        ...(project === undefined ? {} : { project: resolve(io.cwd, project) }),
      };
      if (forget !== true) {
        const page = await client.call('memory', {
          query: { ...filter, ...(limit === undefined ? {} : { limit }) },
        });
        if (json === true) out.json(page);
        else if (page.total === 0) out.notice('no stored answers match');
        else printMemory(context, page);
        return;
      }
      const { total, answers } = await client.call('memory', { query: { ...filter, limit: 1 } });
      if (yes !== true && total > 0) {
        const what = `${answers === 1 ? 'one answer' : `${answers} answers`} to ${total === 1 ? 'one question' : `${total} questions`}`;
        if (!(await confirm(context, `Forget ${what}?`))) return out.notice('nothing was forgotten');
      }
      const done = await client.call('forgetMemory', { query: filter });
      out.result(json, done, done.forgotten === 1 ? 'Forgot one answer' : `Forgot ${done.forgotten} answers`);
    });

  function printMemory({ out }: CliContext, { questions, total }: MemoryPage): void {
    const now = io.now();
    const seen = (text: string): string => cleanLine(firstLine(showHiddenMarks(text)));
    out.table(
      [
        { title: 'AGE' },
        { title: 'YOU SAID', keeps: 'start' },
        { title: 'NAME', worth: 1, keeps: 'both ends' },
        { title: 'PROJECT', worth: 2, keeps: 'both ends' },
        { title: 'WHAT', keeps: 'start' },
      ],
      questions.map(({ answers, differs, project, tool, about }): Cell[] => {
        const last = lastOf(answers);
        return [
          { text: formatSince(last?.last_at ?? null, now) },
          { text: answersText(answers), style: differs ? 'yellow' : 'bold' },
          { text: cleanLine(last?.last_session ?? '') },
          { text: pathText(project, io.env.HOME), style: 'dim' },
          { text: seen(`${tool}: ${about}`) },
        ];
      }),
    );
    if (questions.length < total) out.notice(`${total - questions.length} older questions are not shown: --limit`);
  }
}
