import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Rule, RuleBook } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { isRuleOver, ORIGIN_WORDS, ruleAbout, ruleFlaw, ruleLeft, ruleScope } from '../../text/rule-words.ts';
import { client, link, onFrame, sessions } from '../connection/fleet.ts';
import { now } from '../display/clock.ts';
import { addressOf } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';
import { RuleFileCard } from './rule-file.tsx';
import { RuleSuggestions } from './rule-suggestions.tsx';

/**
 * How long to wait after a change before reading the rules again. Changes are frequent, because each decision may
 * reduce the number of times that a rule can still be used.
 */
const GATHER_MS = 250;

/** Shows the rules that answer on the user's behalf, where each rule comes from, and which files are trusted. */
export function RulesPage() {
  const book = useSignal<RuleBook | null>(null);
  const load = async (): Promise<void> => {
    try {
      book.value = await client.call('listRules');
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
    // A new session may belong to a project that has its own rules.
  }, [link.value, sessions.value.size]);
  useEffect(() => {
    let timer = 0;
    const stop = onFrame(({ type }) => {
      if (timer !== 0 || (type !== 'rules_changed' && type !== 'rule_decided')) return;
      timer = window.setTimeout(() => {
        timer = 0;
        void load();
      }, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);

  const { rules, files } = book.value ?? { rules: [], files: [] };
  return (
    <>
      <PageHead title="Rules" />
      <div class="page stack">
        <p class="faint">
          A deny rule always wins. If no rule clearly applies, the session asks you.{' '}
          <a href={addressOf({ page: 'audit', session: null })}>Their decisions</a>
        </p>
        {book.value !== null && rules.length + files.length === 0 && (
          <div class="empty">
            <h1>There are no rules</h1>
            <p>
              Every permission request comes to you. <code>cbos rules add --help</code> shows how to add a rule.
            </p>
          </div>
        )}
        <RuleSuggestions onAdded={load} />
        {files.map((file) => (
          <RuleFileCard key={file.path} file={file} onDone={load} />
        ))}
        {rules.length > 0 && (
          <ul class="plain stack" aria-label="Rules">
            {rules.map((rule, index) => (
              <RuleCard key={`${rule.id} ${index}`} rule={rule} onDone={load} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function RuleCard({ rule, onDone }: { rule: Rule; onDone(): Promise<void> }) {
  const { id, effect, origin, used, note } = rule;
  const isOver = isRuleOver(rule, now.value);
  const flaw = ruleFlaw(rule);
  const facts = [
    ruleScope(rule),
    ruleLeft(rule, now.value),
    used === 0 ? 'never used' : `used ${used === 1 ? 'once' : `${used} times`}`,
  ];
  return (
    <li class={`card stack rule ${isOver ? 'is-over' : ''}`}>
      <div class="row wrap">
        <span class="chip" data-effect={effect}>
          {effect}
        </span>
        <code class="grow rule-about">{ruleAbout(rule)}</code>
        {origin === 'added' && (
          <button
            type="button"
            class="button quiet bad"
            aria-label={`Remove rule ${id}`}
            onClick={async () => {
              if (await attempt(() => client.call('removeRule', { params: { id } }))) tell(`Removed the rule ${id}`);
              await onDone();
            }}
          >
            Remove
          </button>
        )}
      </div>
      {flaw !== null && <p class="notice bad">{flaw}</p>}
      {note !== null && note !== '' && <p class="pre">{showHiddenMarks(note)}</p>}
      <p class="faint">
        {id} · from {ORIGIN_WORDS[origin] ?? origin} · {facts.filter((fact) => fact !== '').join(' · ')}
      </p>
    </li>
  );
}
