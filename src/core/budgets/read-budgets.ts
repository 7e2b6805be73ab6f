import { CatalogueError } from '../../protocol/index.ts';
import type { BudgetRule } from './budgets.ts';

const KEYS = ['name', 'for', 'usd', 'tokens', 'per'];
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** The maximum number of budgets. CBOS checks every budget before it sends a prompt. */
const MAX_BUDGETS = 50;

/**
 * Reads the `[[budgets]]` tables in config.toml. Their keys are `name`, `for` (`each`, `fleet`, `tag:WORD` or
 * `session:NAME`), `usd` or `tokens`, and `per` (`day` or `total`).
 * @param path the path of config.toml, for error messages
 * @throws CatalogueError invalid_setting, with the name of the budget and what is wrong with it
 */
export function readBudgets(value: unknown, path: string): BudgetRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuse(path, 'budgets', 'must be tables; write [[budgets]]');
  if (value.length > MAX_BUDGETS)
    throw refuse(path, 'budgets', `has ${value.length} entries; the limit is ${MAX_BUDGETS}`);
  const budgets = value.map((one: unknown, index) => readBudget(one, path, `budgets[${index}]`));
  const double = budgets.find(({ name }, index) => budgets.findIndex((other) => other.name === name) !== index);
  if (double !== undefined) throw refuse(path, 'budgets', `two budgets are named ${double.name}`);
  return budgets;
}

function readBudget(value: unknown, path: string, place: string): BudgetRule {
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const unknown = [...fields.keys()].find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw refuse(path, place, `has an unknown key: ${unknown}; the known keys are ${KEYS.join(', ')}`);
  const name = fields.get('name');
  if (typeof name !== 'string' || !NAME.test(name))
    throw refuse(path, place, 'needs a name of letters, digits, - and _');
  const per = fields.get('per') ?? 'day';
  if (per !== 'day' && per !== 'total') throw refuse(path, name, '`per` must be day or total');
  const { usd, tokens } = { usd: fields.get('usd'), tokens: fields.get('tokens') };
  if ((usd === undefined) === (tokens === undefined)) throw refuse(path, name, 'needs either usd or tokens');
  const limit = Number(usd ?? tokens);
  if (typeof (usd ?? tokens) === 'string' || !Number.isFinite(limit) || limit <= 0) {
    throw refuse(path, name, `${usd === undefined ? 'tokens' : 'usd'} must be a number above 0`);
  }
  return {
    name,
    ...readScope(fields.get('for'), (why) => refuse(path, name, why)),
    unit: usd === undefined ? 'tokens' : 'usd',
    limit,
    per,
  };
}

function readScope(value: unknown, because: (reason: string) => CatalogueError): Pick<BudgetRule, 'scope' | 'of'> {
  if (value === 'each' || value === 'fleet') return { scope: value, of: null };
  const [, kind, of] = /^(session|tag):(.+)$/.exec(typeof value === 'string' ? value : '') ?? [];
  if ((kind === 'session' || kind === 'tag') && of !== undefined) return { scope: kind, of };
  throw because('`for` must be each, fleet, tag:WORD or session:NAME');
}

const refuse = (path: string, name: string, reason: string): CatalogueError =>
  new CatalogueError('invalid_setting', `${path}: budget ${name}: ${reason}`, {
    hint: `Change or remove [[budgets]] in ${path}; docs/guides/budgets.md has examples`,
  });
