import { type Form, type FormField, isOfFormat } from '../../protocol/index.ts';
import { allowedText } from '../../text/form-words.ts';

/** The values of a form that an answer sets, by the names of the fields. Values from a command line are texts. */
export type GivenValues = Readonly<Record<string, unknown>>;

/** The values that CBOS passes on to the server, or everything that is wrong with the given ones. */
export type Filled = { content: Readonly<Record<string, unknown>> } | { problems: readonly string[] };

/**
 * Fills in a form. A field that the answer does not set has its default. Claude Code does not check the values, so
 * nothing that the server does not allow may pass here.
 */
export function fillForm({ fields }: Form, given: GivenValues): Filled {
  const known = new Set(fields.map(({ name }) => name));
  const foreign = Object.keys(given).filter((name) => !known.has(name));
  const problems = foreign.map((name) => `the form has no field ${name}`);
  const content: [string, unknown][] = [];
  for (const field of fields) {
    const { name } = field;
    if (!Object.hasOwn(given, name)) {
      if (field.default !== undefined) content.push([name, field.default]);
      else if (field.required) problems.push(`${name} is required: ${allowedText(field)}`);
      continue;
    }
    const read = readValue(field, given[name]);
    if (read !== null) content.push([name, read.value]);
    else problems.push(`${name}: ${shown(given[name])} is not allowed: it takes ${allowedText(field)}`);
  }
  return problems.length > 0 ? { problems } : { content: Object.fromEntries(content) };
}

/** How much of a wrong value an error repeats. */
const MOST_SHOWN = 80;

function shown(value: unknown): string {
  const said = JSON.stringify(value) ?? String(value);
  return said.length > MOST_SHOWN ? `${said.slice(0, MOST_SHOWN)}…` : said;
}

type Read = { value: unknown } | null;

const NOT_ALLOWED: Read = null;

/** Reads the value for a field. A text that means a value of the field's type counts as that value. */
function readValue(field: FormField, given: unknown): Read {
  switch (field.type) {
    case 'boolean':
      return readBoolean(given);
    case 'number':
    case 'integer':
      return readNumber(field, given);
    case 'text':
      return typeof given === 'string' && isTextAllowed(field, given) ? { value: given } : NOT_ALLOWED;
    case 'choice': {
      const value = typeof given === 'string' ? choiceOf(field, given) : null;
      return value === null ? NOT_ALLOWED : { value };
    }
    case 'choices':
      return readChoices(field, given);
    case 'other':
      return { value: readJson(given) };
  }
}

function readBoolean(given: unknown): Read {
  if (typeof given === 'boolean') return { value: given };
  const word = typeof given === 'string' ? given.trim().toLowerCase() : '';
  if (word === 'true' || word === 'yes') return { value: true };
  return word === 'false' || word === 'no' ? { value: false } : NOT_ALLOWED;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function readNumber({ type, min, max }: FormField, given: unknown): Read {
  const isText = typeof given === 'string' && NUMBER.test(given.trim());
  const value = isText ? Number(given) : given;
  if (typeof value !== 'number' || !Number.isFinite(value)) return NOT_ALLOWED;
  if (type === 'integer' && !Number.isInteger(value)) return NOT_ALLOWED;
  return isWithin(value, { min, max }) ? { value } : NOT_ALLOWED;
}

const isWithin = (value: number, { min, max }: { min: number | undefined; max: number | undefined }): boolean =>
  (min === undefined || value >= min) && (max === undefined || value <= max);

/** JSON Schema counts characters, not the UTF-16 units of JavaScript. */
function isTextAllowed({ format, min, max }: FormField, given: string): boolean {
  return isWithin([...given].length, { min, max }) && (format === undefined || isOfFormat(format, given));
}

/** Returns the value of a choice, which may be given by its title. Returns null if there is no such choice. */
function choiceOf({ choices = [] }: FormField, given: string): string | null {
  const exact = choices.find(({ value }) => value === given);
  if (exact !== undefined) return exact.value;
  const wanted = given.trim().toLowerCase();
  const hits = choices.filter(({ value, title }) => [value, title].some((one) => one.trim().toLowerCase() === wanted));
  return hits.length === 1 ? (hits[0]?.value ?? null) : null;
}

/** A text names one choice, or several that are separated by commas. */
function readChoices(field: FormField, given: unknown): Read {
  const one = typeof given === 'string' ? choiceOf(field, given) : null;
  const listed = one !== null ? [one] : typeof given === 'string' ? splitList(given) : given;
  if (!Array.isArray(listed)) return NOT_ALLOWED;
  const values = listed.map((item) => (typeof item === 'string' ? choiceOf(field, item) : null));
  if (values.includes(null)) return NOT_ALLOWED;
  const chosen = [...new Set(values)];
  return isWithin(chosen.length, { min: field.min, max: field.max }) ? { value: chosen } : NOT_ALLOWED;
}

const splitList = (given: string): string[] => (given.trim() === '' ? [] : given.split(',').map((item) => item.trim()));

function readJson(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    // A text that is not JSON is the value itself.
    return given;
  }
}
