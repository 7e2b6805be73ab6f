import {
  type ApprovalRule,
  type AskedCall,
  decide,
  decideBefore,
  isInForce,
  placeKey,
  placesOf,
  readRules,
  type Verdict,
} from '../../../src/core/approval/index.ts';

export const FOLDER = '/src/shop';
export const HOME = '/home/me/.cbos';
const USER_HOME = '/home/me';
const NOW = Date.parse('2026-11-23T12:00:00Z');

export interface Circumstances {
  tool?: string;
  cwd?: string | null;
  folder?: string | null;
  isWhole?: boolean;
  session?: string;
  now?: number;
  fault?: string;
  /** links of the file system by their path; null for a link to nothing */
  links?: Readonly<Record<string, string | null>>;
  /** how many calls each rule has already decided */
  used?: number;
}

/** Parses the rules of a file that was read as TOML. @throws Error if they are not rules */
export function rulesOf(values: Readonly<Record<string, unknown>>): ApprovalRule[] {
  const rules = readRules(values, { mayAllow: true, folder: null });
  if ('problem' in rules) throw new Error(rules.problem);
  return rules;
}

export const allow = (...command: string[]): ApprovalRule[] => rulesOf({ allow: [{ command }] });
export const deny = (...command: string[]): ApprovalRule[] => rulesOf({ deny: [{ command }] });

/** Returns the verdict of rules about a tool's input, on a file system without any links but the named ones. */
export const judge = (rules: readonly ApprovalRule[], input: unknown, some: Circumstances = {}): Verdict =>
  by(decide, rules, input, some);

/** Works like {@link judge}, before Claude Code decides whether to ask. Null if the rules do not cover the call. */
export const sayBefore = (rules: readonly ApprovalRule[], input: unknown, some: Circumstances = {}): Verdict | null =>
  by(decideBefore, rules, input, some);

function by<T>(
  said: (...args: Parameters<typeof decide>) => T,
  rules: readonly ApprovalRule[],
  input: unknown,
  some: Circumstances,
): T {
  return said(...asked(rules, input, some));
}

/** Returns what {@link decide} takes for a call: the call, the rules in effect, and where each path leads. */
export function asked(
  rules: readonly ApprovalRule[],
  input: unknown,
  some: Circumstances = {},
): Parameters<typeof decide> {
  const { folder = FOLDER, cwd = FOLDER, links = {}, used = 0 } = some;
  const call: AskedCall = {
    ...{ tool: some.tool ?? 'Bash', input, isWhole: some.isWhole ?? true, folder, cwd, now: some.now ?? NOW },
    session: { id: 'id-of-AUTH', name: some.session ?? 'AUTH' },
  };
  const all = rules.map((rule) => ({ ...rule, used }));
  const counting = all.filter((rule) => isInForce(rule, call));
  const places = new Map<string, string | null>();
  for (const { base, path } of placesOf(call, counting)) places.set(placeKey(base, path), follow(base, path, links));
  return [call, { rules: all, fault: some.fault ?? null }, { home: HOME, places }];
}

export const command = (rules: readonly ApprovalRule[], text: string, some: Circumstances = {}): Verdict =>
  judge(rules, { command: text }, some);

function follow(base: string, path: string, links: Readonly<Record<string, string | null>>): string | null {
  const from = path === '~' || path.startsWith('~/') ? `${USER_HOME}${path.slice(1)}` : path;
  const names = (from.startsWith('/') ? from : `${base}/${from}`).split('/');
  let at = '';
  for (const name of names) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
      continue;
    }
    at = `${at}/${name}`;
    const target = links[at];
    if (target === null) return null;
    if (target !== undefined) at = target;
  }
  return at === '' ? '/' : at;
}
