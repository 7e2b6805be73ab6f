import type { RuleSuggestion } from '../../protocol/index.ts';
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
        keys: [
          {
            keys: found.map(({ number }) => String(number)),
            label: '1-9',
            does: found.length === 0 ? () => null : 'add it',
            run: (_, key) =>
              add(
                app,
                found.find(({ number }) => String(number) === key),
              ),
          },
        ],
      },
    );
  });
}

/** Shows a suggested rule again, and adds it after a confirmation. */
function add(app: App, suggestion: RuleSuggestion | undefined): void {
  if (suggestion === undefined) return;
  confirm(app, {
    question: 'Add this rule?',
    about: suggestionLines(suggestion).join('\n'),
    onYes: async () => {
      const { id } = await app.client.call('addRule', { body: suggestionRule(suggestion) });
      app.toast('good', `added as the rule ${id}`);
    },
  });
}
