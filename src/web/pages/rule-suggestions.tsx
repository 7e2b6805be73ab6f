import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RuleSuggestion } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { evidenceText, stepText, suggestionRule } from '../../text/suggestion-words.ts';
import { client, link } from '../connection/fleet.ts';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/**
 * Suggests rules for commands that the user has allowed again and again. A rule is added only if the user clicks on it.
 */
export function RuleSuggestions({ onAdded }: { onAdded(): Promise<void> }) {
  const found = useSignal<readonly RuleSuggestion[]>([]);
  const load = async (): Promise<void> => {
    found.value = await client.call('suggestRules');
  };
  useEffect(() => {
    if (link.value === 'live') load().catch(tellError);
  }, [link.value]);
  if (found.value.length === 0) return null;
  return (
    <section class="stack" aria-label="Suggestions">
      <h2>Suggestions</h2>
      <p class="faint">You allowed these commands repeatedly. No suggestion takes effect on its own.</p>
      {found.value.map((one) => (
        <article key={`${one.project} ${one.command}`} class="card stack">
          <pre class="rule-about">{showHiddenMarks(one.toml)}</pre>
          <p>
            It allows {stepText(one)}. You {evidenceText(one)}.
          </p>
          {one.also.length === 0 ? (
            <p class="faint">It would have allowed nothing else that was requested.</p>
          ) : (
            <div>
              <p class="notice">It would also have allowed:</p>
              <ul>
                {one.also.map((text) => (
                  <li key={text}>
                    <code>{showHiddenMarks(text)}</code>
                  </li>
                ))}
              </ul>
            </div>
          )}
          <div class="row end">
            <button
              type="button"
              class="button"
              onClick={async () => {
                if (await attempt(() => client.call('addRule', { body: suggestionRule(one) }))) tell('Added the rule');
                await load().catch(tellError);
                await onAdded();
              }}
            >
              Add this rule
            </button>
          </div>
        </article>
      ))}
    </section>
  );
}
