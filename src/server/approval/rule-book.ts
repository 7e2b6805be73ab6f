/**
 * Approval rules, which allow or deny calls on behalf of a person.
 *
 * - all the rules of a home at one moment: this file
 * - requests from the faces: `rules.ts`
 * - the decision about one question: `approvals.ts`
 * - the moment of a decision: `src/server/screen/reply-by-rule.ts`, `src/server/json/reply-by-rule.ts`
 * - the logic of a decision: `src/core/approval/`
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ApprovalRule, readRule, readRules } from '../../core/approval/index.ts';
import {
  followLinks,
  HOME_RULES,
  PROJECT_RULES,
  parseRuleText,
  type RuleText,
  readRuleFile,
} from '../../platform/rules/index.ts';
import type { RuleStore, TrustedRules } from '../../platform/sqlite/rule-store.ts';
import type { RuleFile, RuleOrigin } from '../../protocol/index.ts';

/** A rule and where it comes from. */
export interface BookedRule {
  rule: ApprovalRule;
  origin: RuleOrigin;
}

/** All the rules of a home at one moment. */
export interface BookNow {
  rules: readonly BookedRule[];
  files: readonly RuleFile[];
}

export interface BookOptions {
  home: string;
  store: RuleStore;
}

/** Reports whether any rule may exist. If none can exist, no rules are read when a session asks for permission. */
export function hasRules({ home, store }: BookOptions): boolean {
  return existsSync(join(home, HOME_RULES)) || store.added().length > 0 || store.trusted().length > 0;
}

/**
 * Reads every rule that is in force, and the state of every file of rules.
 * @param folders the folders of sessions; their projects may contain rules that nobody has trusted yet
 */
export async function readBook(options: BookOptions, folders: readonly string[]): Promise<BookNow> {
  const { store } = options;
  const rules: BookedRule[] = [];
  const files: RuleFile[] = [];
  const home = await readHome(options.home);
  if (home !== null) files.push(home.file);
  rules.push(...(home?.rules ?? []));
  const trusted = store.trusted();
  for (const one of trusted) {
    const project = await readTrusted(one);
    files.push(project.file);
    rules.push(...project.rules);
  }
  for (const folder of folders) {
    const file = trusted.some((one) => one.folder === folder) ? null : await readUntrusted(folder);
    if (file !== null) files.push(file);
  }
  for (const { id, sessionId, effect, fields } of store.added()) {
    const rule = readRule({ effect, fields, id, folder: null });
    // An older or newer CBOS stored a rule that this version cannot read. It may be a rule that denies calls, which
    // must not be lost.
    if ('problem' in rule) files.push(broken(`the rule ${id} in the database`, rule.problem));
    else rules.push({ rule: { ...rule, onlyFor: sessionId }, origin: 'added' });
  }
  const booked = rules.map(async ({ rule, origin }) => ({
    rule: { ...rule, used: store.used(rule.id), projects: await Promise.all(rule.projects.map(realFolder)) },
    origin,
  }));
  return { rules: await Promise.all(booked), files };
}

/** Returns the real path of a folder, or the given path if the folder does not exist. */
const realFolder = async (path: string): Promise<string> => (await followLinks(path)) ?? path;

const broken = (path: string, error: string): RuleFile => ({
  ...{ path, folder: null, state: 'broken', error, content: null, sha256: null },
});

interface ReadFile {
  file: RuleFile;
  rules: BookedRule[];
}

async function readHome(home: string): Promise<ReadFile | null> {
  const path = join(home, HOME_RULES);
  const text = await readRuleFile(path);
  if (text === null) return null;
  const { content, sha256 } = text;
  const read = rulesOf(text, { mayAllow: true, folder: null });
  const file: RuleFile = { path, folder: null, state: 'counts', error: null, content, sha256 };
  if ('problem' in read) return { file: { ...file, state: 'broken', error: read.problem }, rules: [] };
  return { file, rules: read.map((rule) => ({ rule, origin: 'home' })) };
}

/** The trusted version applies, whatever the file contains now, because an agent could have emptied the file. */
async function readTrusted({ folder, sha256, content }: TrustedRules): Promise<ReadFile> {
  const path = join(folder, PROJECT_RULES);
  const now = await readRuleFile(path);
  const read = rulesOf(await parseRuleText(content), { mayAllow: false, folder });
  const shown = { path, folder, content: now?.content ?? null, sha256: now?.sha256 ?? null };
  const isSame = now?.sha256 === sha256;
  const error = isSame
    ? null
    : now === null
      ? 'it no longer exists'
      : (now.error ?? 'it has changed since it was trusted');
  const file: RuleFile = { ...shown, state: isSame ? 'counts' : 'changed', error };
  if ('problem' in read) return { file: { ...file, state: 'broken', error: read.problem }, rules: [] };
  return { file, rules: read.map((rule) => ({ rule, origin: 'project' })) };
}

/** Reads a project's rule file that nobody has trusted; null if there is none. */
async function readUntrusted(folder: string): Promise<RuleFile | null> {
  const path = join(folder, PROJECT_RULES);
  const text = await readRuleFile(path);
  if (text === null) return null;
  const read = rulesOf(text, { mayAllow: false, folder });
  const error = 'problem' in read ? read.problem : null;
  return { path, folder, state: 'untrusted', error, content: text.content, sha256: text.sha256 };
}

/** Reads the current rules of a project's file. @returns the reason why nobody can trust it */
export async function readProject(
  given: string,
): Promise<{ folder: string; text: RuleText; problem: string | null } | null> {
  const folder = await followLinks(given);
  const text = folder === null ? null : await readRuleFile(join(folder, PROJECT_RULES));
  if (folder === null || text === null) return null;
  const read = rulesOf(text, { mayAllow: false, folder });
  return { folder, text, problem: 'problem' in read ? read.problem : null };
}

function rulesOf(text: RuleText, file: Parameters<typeof readRules>[1]): ReturnType<typeof readRules> {
  return text.values === null ? { problem: text.error ?? 'it cannot be read' } : readRules(text.values, file);
}
