import { RE2JS } from 're2js';
import { CatalogueError, parseStateSelector } from '../../protocol/index.ts';
import { ALL_VERSIONS, USER_RULE_PREFIX } from './rule.ts';
import type { ScreenRule, ScreenView } from './screen/generation.ts';

/**
 * Where one of the user's rules looks. A pattern is matched against single lines and never against the whole text, so
 * that no match takes too long.
 */
const PLACES = {
  /** every line of the window */
  screen: ({ frame }: ScreenView) => frame.lines,
  /** the last ten lines that are not blank */
  bottom: ({ frame }: ScreenView) => frame.lines.filter((line) => line.trim() !== '').slice(-10),
  /** the lines below the prompt's box */
  footer: ({ footer }: ScreenView) => footer.split('\n'),
} as const;
type Place = keyof typeof PLACES;
const isPlace = (word: unknown): word is Place => typeof word === 'string' && Object.hasOwn(PLACES, word);

const KEYS = ['id', 'pattern', 'where', 'status'];
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** The number of rules is limited, because every rule reads every frame of every session. */
const MAX_RULES = 50;
const MAX_PATTERN_CHARS = 200;
/**
 * The number of steps in a match is at most the length of the pattern, with counted repeats written out, times the
 * number of characters in the line.
 */
const MAX_LINE_CHARS = 300;
/** For example, `(?:a|b){1,200}` has 600 steps. */
const MAX_PATTERN_STEPS = 1_000;

/**
 * Reads the `[[rules]]` tables in config.toml. Their keys are `id`, `pattern` (an RE2 regular expression that is
 * matched against single lines), `where` (`screen`, `bottom` or `footer`), and `status` (for example
 * `waiting/permission`). The first matching rule overrides every source except the process.
 * @param path the path of config.toml, for error messages
 * @throws CatalogueError invalid_setting, with the name of the rule and what is wrong with it
 */
export function readUserRules(value: unknown, path: string): ScreenRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuse(path, 'rules', 'must be tables; write [[rules]]');
  if (value.length > MAX_RULES) throw refuse(path, 'rules', `has ${value.length} entries; the limit is ${MAX_RULES}`);
  const rules = value.map((one: unknown, index) => readRule(one, path, `rules[${index}]`));
  const double = rules.find((rule, index) => rules.findIndex((other) => other.id === rule.id) !== index);
  if (double !== undefined)
    throw refuse(path, 'rules', `two rules have the id ${double.id.slice(USER_RULE_PREFIX.length)}`);
  return rules;
}

function readRule(value: unknown, path: string, name: string): ScreenRule {
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const unknown = [...fields.keys()].find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw refuse(path, name, `has an unknown key: ${unknown}; the known keys are ${KEYS.join(', ')}`);
  const id = fields.get('id');
  if (typeof id !== 'string' || !ID.test(id)) throw refuse(path, name, 'needs an id of letters, digits, - and _');
  const where = fields.get('where') ?? 'screen';
  if (!isPlace(where)) throw refuse(path, id, `where must be one of ${Object.keys(PLACES).join(', ')}`);
  const word = fields.get('status');
  const status = typeof word === 'string' ? parseStateSelector(word) : null;
  if (status?.kind !== 'exact' || status.detail === null) {
    throw refuse(path, id, 'status must be a word such as waiting/permission or active/using_tools');
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

/**
 * Compiles a pattern with RE2, which takes time linear in the length of the line. JavaScript's own engine uses
 * backtracking, which takes exponential time on some patterns. RE2 supports neither lookaround nor backreferences.
 */
function compile(pattern: unknown, because: (reason: string) => CatalogueError): Pick<RE2JS, 'test'> {
  if (typeof pattern !== 'string' || pattern === '') throw because('needs a pattern, a regular expression');
  if (pattern.length > MAX_PATTERN_CHARS) throw because(`the pattern is longer than ${MAX_PATTERN_CHARS} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (cause) {
    throw because(
      `the pattern isn't a valid RE2 regular expression: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  if (compiled.programSize() <= MAX_PATTERN_STEPS) return compiled;
  throw because(
    `with its repeats expanded, the pattern has ${compiled.programSize()} steps; the limit is ${MAX_PATTERN_STEPS}`,
  );
}

const refuse = (path: string, name: string, reason: string): CatalogueError =>
  new CatalogueError('invalid_setting', `${path}: rule ${name}: ${reason}`, {
    hint: `Change or remove [[rules]] in ${path}; see docs/SETTINGS.md for an example`,
  });
