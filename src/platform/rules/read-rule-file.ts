import { createHash } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
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

/** @returns null if the file does not exist; for a pipe and the like, an error that says what it is */
export async function readRuleFile(path: string): Promise<RuleText | null> {
  let content: string | null;
  try {
    content = await readRegularFile(path, { mostBytes: MOST_BYTES });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return (await isLink(path)) ? unreadable(LEADS_NOWHERE) : null;
    return unreadable(`it cannot be read (${code})`);
  }
  return content === null ? unreadable(await describeUnread(path)) : parseRuleText(content);
}

const LEADS_NOWHERE = 'it is a link that leads to no file; replace it with a file';

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isSymbolicLink() === true;

/** Says why the content of what exists at a path is not read, and what to do. */
async function describeUnread(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  if (status === null) return LEADS_NOWHERE;
  if (status.isFile()) return `it is longer than ${MOST_BYTES.toLocaleString('en')} bytes; make it shorter`;
  const kind = status.isDirectory() ? 'a folder' : status.isFIFO() ? 'a pipe' : 'a socket or a device';
  return `it is ${kind}; replace it with a file`;
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
