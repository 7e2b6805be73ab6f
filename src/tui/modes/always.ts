import { alwaysChoicesOf } from '../../client/index.ts';
import type { Question } from '../../protocol/index.ts';
import { type AlwaysText, alwaysTexts } from '../../text/always-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import type { Binding } from './binding.ts';
import { showPage } from './text-page.ts';

const TITLES: Readonly<Record<AlwaysText['reach'], string>> = {
  session: 's  for this session',
  project: 'p  for this project',
  rule: 'r  as a CBOS rule: the rule is saved, and the answer is yes',
};

/**
 * Lets the user choose how far a yes applies. Each choice is shown as the rule that would be saved.
 * @param asked the question, which the user must have seen in full
 */
export function showAlways(app: App, asked: { slug: string; question: Question }, onLeave: () => void): void {
  const { slug, question } = asked;
  const params = { slug };
  app.run(async () => {
    const texts = alwaysTexts(await alwaysChoicesOf(app.client, slug, question.id));
    let isSeen = false;
    const give = (reach: AlwaysText['reach'], text: string): void => {
      if (!isSeen) {
        app.toast('wait', 'Read the request to the end first: Space continues');
        return;
      }
      onLeave();
      app.toast('wait', `answering ${slug}…`);
      app.run(async () => {
        const question_id = question.id;
        if (reach === 'rule') {
          const { rule } = await app.client.call('allowByRule', { params, body: { question_id, rule: text } });
          app.toast('good', `${slug}: answered yes, and saved the rule ${rule.id}`);
          return;
        }
        await app.client.call('answer', { params, body: { choice: 'always', for: reach, question_id } });
        app.toast('good', `${slug}: always, for this ${reach}`);
      });
    };
    const lines = texts.flatMap(({ reach, text, why }) => [
      text === null ? `   ${TITLES[reach].slice(3)}` : TITLES[reach],
      ...(text === null ? [why] : showHiddenMarks(text).trimEnd().split('\n')).map((line) => `     ${cleanLine(line)}`),
      '',
    ]);
    showPage(
      app,
      `Allow always, for ${slug}`,
      (cols) => ['', ...lines].flatMap((line) => wrap(`  ${line}`, cols - 1)),
      {
        onLeave,
        onEnd: () => {
          isSeen = true;
        },
        keys: texts.flatMap(({ reach, text }): Binding[] =>
          text === null ? [] : [{ keys: [reach.charAt(0)], does: reach, run: () => give(reach, text) }],
        ),
      },
    );
  });
}
