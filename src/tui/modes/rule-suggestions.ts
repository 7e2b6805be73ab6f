import { suggestionLines, suggestionRule } from '../../text/suggestion-words.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import { confirm } from './confirm.ts';
import { showPage } from './text-page.ts';

/**
 * Shows the suggested rules. If the user presses a digit, it shows the rule with that number again and adds it after
 * confirmation.
 */
export function showSuggestions(app: App, onLeave: () => void): void {
  app.run(async () => {
    const found = await app.client.call('suggestRules');
    const lines =
      found.length === 0
        ? ['No suggestions: you have not allowed the same command three times in a project.']
        : found.flatMap((one) => [...suggestionLines(one), '']);
    showPage(
      app,
      `Suggestions: ${found.length}`,
      (cols) => ['', ...lines].flatMap((line) => wrap(`  ${line}`, cols - 1)),
      {
        onLeave,
        hints: [...(found.length === 0 ? [] : ([['1-9', 'add it']] as const)), ['j/k', 'scroll'], ['Esc', 'back']],
        onKey: (name) => {
          const chosen = found.find(({ number }) => String(number) === name);
          if (chosen === undefined) return false;
          confirm(app, {
            question: 'Add this rule?',
            about: suggestionLines(chosen).join('\n'),
            onYes: () =>
              app.run(async () => {
                const { id } = await app.client.call('addRule', { body: suggestionRule(chosen) });
                app.toast('good', `added as the rule ${id}`);
              }),
          });
          return true;
        },
      },
    );
  });
}
