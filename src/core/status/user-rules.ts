import { CatalogueError, parseStateSelector } from '../../protocol/index.ts';
import { ALL_VERSIONS, USER_RULE_PREFIX } from './rule.ts';
import type { ScreenRule, ScreenView } from './screen-generation.ts';

/** Where a rule of the user's looks. Only lines are matched, never the whole text: a match then has a bound. */
const PLACES = {
  /** every line of the window */
  screen: ({ frame }: ScreenView) => frame.lines,
  /** the last ten lines that are not blank */
  bottom: ({ frame }: ScreenView) => frame.lines.filter((line) => line.trim() !== '').slice(-10),
  /** what stands below the prompt's box */
  footer: ({ footer }: ScreenView) => footer.split('\n'),
} as const;
type Place = keyof typeof PLACES;
const isPlace = (word: unknown): word is Place => typeof word === 'string' && Object.hasOwn(PLACES, word);

const KEYS = ['id', 'pattern', 'where', 'status'];
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Every frame of every session is read by every rule. */
const MAX_RULES = 50;
const MAX_PATTERN_CHARS = 200;
/** A line is cut to this before it is matched: with two unbounded repeats a match takes 300³ steps at the very worst, in truth far fewer. */
const MAX_LINE_CHARS = 300;
const MAX_UNBOUNDED = 2;

/**
 * The `[[rules]]` of config.toml: `id`, `pattern` (a regular expression, for one line), `where` (`screen`, `bottom` or `footer`), `status`
 * (like `waiting/permission`). The first that fits is believed before every other source but the end of the process.
 * @param path of config.toml, for messages
 * @throws CatalogueError invalid_setting, naming the rule and what is wrong with it
 */
export function readUserRules(value: unknown, path: string): ScreenRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuse(path, 'rules', 'must be tables: write [[rules]]');
  if (value.length > MAX_RULES) throw refuse(path, 'rules', `there are ${value.length}, at most ${MAX_RULES} may be`);
  const rules = value.map((one: unknown, index) => readRule(one, path, `rules[${index}]`));
  const double = rules.find((rule, index) => rules.findIndex((other) => other.id === rule.id) !== index);
  if (double !== undefined) throw refuse(path, 'rules', `two have the id ${double.id.slice(USER_RULE_PREFIX.length)}`);
  return rules;
}

function readRule(value: unknown, path: string, name: string): ScreenRule {
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const unknown = [...fields.keys()].find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw refuse(path, name, `has an unknown key: ${unknown}; known are ${KEYS.join(', ')}`);
  const id = fields.get('id');
  if (typeof id !== 'string' || !ID.test(id)) throw refuse(path, name, 'needs an id of letters, digits, - and _');
  const where = fields.get('where') ?? 'screen';
  if (!isPlace(where)) throw refuse(path, id, `where must be one of ${Object.keys(PLACES).join(', ')}`);
  const word = fields.get('status');
  const status = typeof word === 'string' ? parseStateSelector(word) : null;
  if (status?.kind !== 'exact' || status.detail === null) {
    throw refuse(path, id, 'status must be like waiting/permission or active/using_tools');
  }
  const { primary, detail } = status;
  const pattern = compile(fields.get('pattern'), (reason) => refuse(path, id, reason));
  return {
    id: `${USER_RULE_PREFIX}${id}`,
    versions: ALL_VERSIONS,
    read: (view) => {
      const line = PLACES[where](view).find((text) => pattern.test(text.slice(0, MAX_LINE_CHARS)));
      return line === undefined ? null : { primary, detail, evidence: line.trim() };
    },
  };
}

function compile(pattern: unknown, because: (reason: string) => CatalogueError): RegExp {
  if (typeof pattern !== 'string' || pattern === '') throw because('needs a pattern, a regular expression');
  if (pattern.length > MAX_PATTERN_CHARS) throw because(`the pattern is longer than ${MAX_PATTERN_CHARS} characters`);
  let compiled: RegExp;
  try {
    compiled = new RegExp(pattern, 'u');
  } catch (cause) {
    throw because(`the pattern is no regular expression: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  const danger = whatMakesItSlow(pattern);
  if (danger !== null) throw because(`the pattern could take for ever: ${danger}`);
  return compiled;
}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/;

/** What may make a backtracking engine try exponentially many ways, or very many; null for a harmless pattern. */
function whatMakesItSlow(pattern: string): string | null {
  const groups: { branches: boolean }[] = [];
  let unbounded = 0;
  let closed: { branches: boolean } | null = null;
  // Classes and escapes are one sign each; what is left are groups, alternatives and repeats.
  const plain = pattern
    .replace(/\\[1-9]|\\k/g, '\u0001')
    .replace(/\\./gsu, 'x')
    .replace(/\[[^\]]*\]/g, 'x');
  if (plain.includes('\u0001')) return 'a reference back';
  for (let index = 0; index < plain.length; index++) {
    const sign = plain[index];
    if (sign === '(') {
      groups.push({ branches: false });
      if (plain[index + 1] === '?') index++;
      closed = null;
    } else if (sign === ')') {
      closed = groups.pop() ?? null;
    } else if (sign === '|') {
      const group = groups.at(-1);
      if (group !== undefined) group.branches = true;
      closed = null;
    } else {
      const repeat = QUANTIFIER.exec(plain.slice(index));
      if (repeat === null) closed = null;
      else {
        const isOptional = repeat[0] === '?';
        const isUnbounded = /^(?:[*+]|\{\d+,\})$/.test(repeat[0]);
        if (closed?.branches === true && !isOptional) return 'a repeated group that holds repeats or alternatives';
        if (isUnbounded) unbounded++;
        index += repeat[0].length - 1;
        if (plain[index + 1] === '?') index++;
        closed = null;
        // A repeat within a group is what makes the repeat of the group explode.
        for (const group of groups) group.branches = true;
      }
    }
  }
  return unbounded > MAX_UNBOUNDED ? `more than ${MAX_UNBOUNDED} unbounded repeats` : null;
}

const refuse = (path: string, name: string, reason: string): CatalogueError =>
  new CatalogueError('invalid_setting', `${path}: rule ${name}: ${reason}`, {
    hint: `Change or remove [[rules]] in ${path}; the README has an example`,
  });
