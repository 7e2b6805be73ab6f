import {
  CatalogueError,
  parsePortRange,
  type SettingName,
  type SettingRow,
  type Settings,
} from '../../protocol/index.ts';

/** The parser for addresses, which both Node and browsers have. */
declare const URL: { canParse(text: string): boolean };

/** The words that people use for booleans in environment variables, in upper or lower case. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

export interface Spelling {
  /** where the value comes from, for error messages: `CBOS_PORT`, `--port`, `port in /home/me/.cbos/config.toml` */
  place: string;
  /** a string from a flag or the environment, or a value of any type from config.toml */
  value: unknown;
  toAbsolutePath: (path: string) => string;
}

type RowOf<Form extends SettingRow['form']> = Extract<SettingRow, { form: Form }>;
type TextRow = Exclude<SettingRow, RowOf<'boolean' | 'integer' | 'list'>>;
type Refuse = (reason: string) => never;

/**
 * Reads the value of a setting, and checks it against the row. This does not use schemas, because they take longer to
 * load than everything else in `cbos ls`.
 * @throws CatalogueError invalid_setting, with the source, the value, and what is expected
 */
export function readValue(row: SettingRow, spelling: Spelling): Settings[SettingName] {
  const { place, value } = spelling;
  const refuse: Refuse = (reason) => {
    // A secret must not appear in messages or logs.
    const shown = row.name === 'token' ? 'the given value' : JSON.stringify(value);
    throw new CatalogueError('invalid_setting', `${place} cannot be ${shown}: ${reason}`, {
      hint: `Change or remove ${place}`,
    });
  };
  switch (row.form) {
    case 'boolean':
      if (typeof value === 'boolean') return value;
      return BOOLEANS.get(String(value).trim().toLowerCase()) ?? refuse('must be true or false');
    case 'integer':
      return readInteger(row, value, refuse);
    case 'list':
      return readList(row, value, refuse);
    default:
      if (typeof value === 'string') return readText(row, { ...spelling, value }, refuse);
      return refuse(`must be a ${row.form === 'path' || row.form === 'command' ? row.form : 'text'}`);
  }
}

function readText(row: TextRow, { value, toAbsolutePath }: Spelling & { value: string }, refuse: Refuse): string {
  switch (row.form) {
    case 'text':
      if ([...value].length >= (row.minLength ?? 0)) return value;
      return refuse(`Too small: expected string to have >=${row.minLength} characters`);
    case 'url':
      return readUrl(value.trim()) ?? refuse('Invalid URL');
    case 'path':
      return toAbsolutePath(value);
    case 'command':
      // A word without a slash remains unchanged, because it is looked up in PATH when it is needed.
      return value.includes('/') ? toAbsolutePath(value) : value;
    case 'ports':
      return parsePortRange(value) === null ? refuse('must be a range of ports such as 28000-28999') : value;
    case 'word':
      if (row.words.includes(value)) return value;
      return refuse(`Invalid option: expected one of ${row.words.map((word) => JSON.stringify(word)).join('|')}`);
  }
}

/** The parser also accepts `http:box`, and ignores tabs and line breaks, which would move the host of an address. */
function readUrl(text: string): string | null {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text.replace(/[\t\n\r]/g, '') : null;
}

function readInteger({ min, max }: RowOf<'integer'>, value: unknown, refuse: Refuse): number {
  const isText = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
  const read = isText || Number.isInteger(value) ? Number(value) : refuse('must be a whole number');
  // Beyond these limits, two different numbers can be read as the same one.
  if (read > Number.MAX_SAFE_INTEGER) refuse(`Too big: expected int to be <=${Number.MAX_SAFE_INTEGER}`);
  if (read < Number.MIN_SAFE_INTEGER) refuse(`Too small: expected int to be >=${Number.MIN_SAFE_INTEGER}`);
  if (read < min) refuse(`Too small: expected number to be >=${min}`);
  return max !== undefined && read > max ? refuse(`Too big: expected number to be <=${max}`) : read;
}

/** Reads a list, which is comma-separated in a string and an array in config.toml. */
function readList({ minLength = 0, items }: RowOf<'list'>, value: unknown, refuse: Refuse): string[] {
  const given: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(given) || !given.every((item) => typeof item === 'string'))
    return refuse('must be a list of names');
  const read = given.map((item) => item.trim()).filter((item) => item !== '');
  if (read.length < minLength) return refuse(`Too small: expected array to have >=${minLength} items`);
  return items === undefined || read.every((item) => items.pattern.test(item)) ? read : refuse(items.fault);
}
