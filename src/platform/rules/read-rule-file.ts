import { createHash } from 'node:crypto';
import { readRegularFile } from '../files/regular-file.ts';

/** The file that contains a home's rules, next to `config.toml`. */
export const HOME_RULES = 'rules.toml';
/** The file that contains a project's rules, inside the project's folder. */
export const PROJECT_RULES = '.cbos/rules.toml';

/** The maximum size of a rule file. A rule takes a few hundred bytes. */
const MOST_BYTES = 200_000;

/**
 * A rule file. `values` is its parsed content. If the file is not valid TOML or cannot be read, `values` is null and
 * there is an error.
 */
export interface RuleText {
  content: string | null;
  sha256: string | null;
  values: Readonly<Record<string, unknown>> | null;
  error: string | null;
}

/** @returns null if the file does not exist */
export async function readRuleFile(path: string): Promise<RuleText | null> {
  let content: string | null;
  try {
    content = await readRegularFile(path, { mostBytes: MOST_BYTES });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return unreadable(`it cannot be read (${code})`);
  }
  return content === null
    ? unreadable(`it isn't a file, or is longer than ${MOST_BYTES} bytes`)
    : parseRuleText(content);
}

const unreadable = (error: string): RuleText => ({ content: null, sha256: null, values: null, error });

export async function parseRuleText(content: string): Promise<RuleText> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { parse, TomlError } = await import('smol-toml');
  try {
    return { content, sha256, values: parse(content), error: null };
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [reason] = cause.message.replace('Invalid TOML document: ', '').split('\n');
    return { content, sha256, values: null, error: `line ${cause.line}, column ${cause.column}: ${reason}` };
  }
}
