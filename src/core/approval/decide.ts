import { allowedByRules } from './allowed-by-rules.ts';
import { meantByRule } from './meant-by-rule.ts';
import type { Places } from './places.ts';
import { FOR_PEOPLE } from './read-rules.ts';
import { type AskedCall, isInForce, type RulesInForce } from './rule.ts';
import { runsWhatItWrites } from './runs-written.ts';
import { SeenCall } from './seen-call.ts';
import { ask, type Verdict } from './verdict.ts';

/**
 * Decides a call according to the rules. A `deny` takes precedence. An `allow` requires every part of the call to be
 * known and allowed. In all other cases, CBOS asks the user.
 * @param home CBOS's own home, with symbolic links resolved
 * @param places where each path returned by `placesOf` leads
 */
export function decide(
  call: AskedCall,
  book: RulesInForce,
  { home, places }: { home: string; places: Places },
): Verdict {
  const rules = book.rules.filter((rule) => isInForce(rule, call));
  if (rules.length === 0 && book.fault === null) return ask('no_rules');
  if (FOR_PEOPLE.has(call.tool)) return ask('for_people', call.tool);
  const seen = new SeenCall(call, { home, places });
  for (const rule of rules) {
    if (rule.effect !== 'deny') continue;
    const found = meantByRule(seen, rule);
    if (found?.isSure === true) return { decision: 'deny', reason: 'denied', about: found.about, rules: [rule] };
  }
  if (!call.isWhole) return ask('not_whole');
  if (book.fault !== null) return ask('broken_file', book.fault);
  for (const rule of rules) {
    if (rule.effect === 'allow') continue;
    const found = meantByRule(seen, rule);
    if (found !== null) return ask(rule.effect === 'ask' ? 'asks' : 'may_be_denied', found.about, [rule]);
  }
  const written = runsWhatItWrites(seen);
  if (written !== null) return ask('runs_written', written);
  return allowedByRules(
    seen,
    rules.filter(({ effect }) => effect === 'allow'),
  );
}
