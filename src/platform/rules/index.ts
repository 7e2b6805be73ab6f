export { HOME_RULES, PROJECT_RULES, parseRuleText, type RuleText, readRuleFile } from './read-rule-file.ts';
export { followLinks, resolvePlaces } from './resolve-places.ts';
