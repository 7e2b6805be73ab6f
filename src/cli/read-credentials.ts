import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT } from '../protocol/index.ts';
import { CommandError } from './command-error.ts';
import type { CliContext } from './context.ts';

/**
 * Reads a credentials file, and returns its content as a field for a request. Returns no field if no file was named.
 * @throws CommandError if the file cannot be read
 */
export async function credentialsIn({ io }: CliContext, file: string | undefined): Promise<{ credentials?: string }> {
  if (file === undefined) return {};
  try {
    return { credentials: await readFile(resolve(io.cwd, file), 'utf8') };
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new CommandError(`The credentials cannot be read${why}`, 'give another --credentials FILE', EXIT.usage);
  }
}
