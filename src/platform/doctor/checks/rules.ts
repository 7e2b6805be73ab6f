import { join } from 'node:path';
import { type ApprovalRule, neverMatches, neverWords, readRules } from '../../../core/approval/index.ts';
import { ruleFileFault } from '../../../text/rule-words.ts';
import { HOME_RULES, PROJECT_RULES, parseRuleText, readRuleFile } from '../../rules/index.ts';
import { DATABASE_FILE } from '../../sqlite/database.ts';
import { readTrusted } from '../../sqlite/rule-store.ts';
import { type Finding, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';

/** Finds files with approval rules that cannot be used. Until they are fixed, CBOS asks the user about every call. */
export async function checkRules({ settings: { home } }: DoctorContext): Promise<Finding> {
  const path = join(home, HOME_RULES);
  const text = await readRuleFile(path);
  if (text !== null) {
    const read = text.values === null ? null : readRules(text.values, { mayAllow: true, folder: null });
    const error = read === null ? text.error : 'problem' in read ? read.problem : null;
    const fault = error === null ? null : ruleFileFault({ ...NO_FILE, path, state: 'broken', error });
    if (fault !== null) return warning(fault, `Fix ${path}, or remove it`);
    const flaw = read === null || 'problem' in read ? null : flawOf(path, read);
    if (flaw !== null) return warning(flaw, `Change or remove the rule in ${path}`);
  }
  const trusted = readTrusted(join(home, DATABASE_FILE));
  for (const { folder, sha256, content } of trusted) {
    const now = await readRuleFile(join(folder, PROJECT_RULES));
    if (now?.sha256 === sha256) {
      const { values } = await parseRuleText(content);
      const read = values === null ? null : readRules(values, { mayAllow: false, folder });
      const flaw = read === null || 'problem' in read ? null : flawOf(join(folder, PROJECT_RULES), read);
      if (flaw !== null) return warning(flaw, `Change or remove the rule, then run cbos rules trust ${folder}`);
      continue;
    }
    const error = now === null ? 'it no longer exists' : (now.error ?? 'it has changed since it was trusted');
    const fault = ruleFileFault({ ...NO_FILE, path: join(folder, PROJECT_RULES), folder, state: 'changed', error });
    // What has no content cannot be trusted.
    const trust = now?.content == null ? 'restore the file' : `cbos rules trust ${folder}`;
    if (fault !== null) return warning(fault, `${trust}, or cbos rules untrust ${folder} if you no longer trust it`);
  }
  const projects = trusted.length === 0 ? '' : `, and the rules of ${trusted.length} projects`;
  return ok(`${text === null ? 'there are no rules in the home' : path}${projects}`);
}

/** Describes the first rule in a file that can never match. Returns null if all of them can. */
function flawOf(path: string, rules: readonly ApprovalRule[]): string | null {
  for (const rule of rules) {
    const never = neverMatches(rule);
    if (never !== null) return `${path}: a rule never matches: ${neverWords(rule, never)}`;
  }
  return null;
}

const NO_FILE = { folder: null, content: null, sha256: null };
