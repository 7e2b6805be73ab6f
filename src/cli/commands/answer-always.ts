import { alwaysChoicesOf } from '../../client/index.ts';
import { EXIT } from '../../protocol/index.ts';
import { type AlwaysText, alwaysTexts } from '../../text/always-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';

export interface AlwaysOptions {
  for: AlwaysText['reach'];
  questionId?: string;
  yes?: boolean;
  json?: boolean;
}

/**
 * Grants a permission request permanently: for the session, for the project, or with a rule. Before adding a rule, it
 * shows the rule and asks the user for confirmation.
 */
export async function answerAlways(context: CliContext, slug: string, options: AlwaysOptions): Promise<void> {
  const { out } = context;
  const { for: reach, json = false } = options;
  const client = await context.client();
  const params = { slug };
  const choices = await alwaysChoicesOf(client, slug, options.questionId);
  const { question_id } = choices;
  const found = alwaysTexts(choices).find((one) => one.reach === reach);
  const text = found?.text ?? null;
  if (text === null) {
    throw new CommandError(`this answer is not offered: ${found?.why}`, `cbos answer ${slug} yes`, EXIT.refused);
  }
  if (reach !== 'rule') {
    const answered = await client.call('answer', { params, body: { choice: 'always', for: reach, question_id } });
    out.result(json, answered, cleanLine(`${slug}: answered: ${text}`));
    return;
  }
  if (options.yes !== true) {
    for (const line of showHiddenMarks(text).trimEnd().split('\n')) out.notice(cleanLine(line));
    if (!(await confirm(context, 'Add this rule, and answer yes?'))) {
      throw new CommandError('nothing was answered', `cbos answer ${slug} yes`, EXIT.failed);
    }
  }
  const answered = await client.call('allowByRule', { params, body: { question_id, rule: text } });
  out.result(json, answered, `${slug}: answered yes, and added the rule ${answered.rule.id}`);
}
