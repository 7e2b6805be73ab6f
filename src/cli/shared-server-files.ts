import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandError, UsageError } from './command-error.ts';
import type { CliContext } from './context.ts';

/** The files that a command names for a shared NATS server. */
export interface SharedServerFiles {
  credentials?: string | undefined;
  ca?: string | undefined;
}

/**
 * Reads the files for a shared NATS server, and returns their contents as fields for a request. Returns no field for a
 * file that was not named.
 * @throws CommandError if a file cannot be read, or if other users may read the credentials
 */
export async function sharedServerFields(
  { io }: CliContext,
  { credentials, ca }: SharedServerFiles,
): Promise<{ credentials?: string; authority?: string }> {
  const read = async (file: string, kind: Kind): Promise<string> => {
    let handle: FileHandle | null = null;
    try {
      handle = await open(resolve(io.cwd, file));
      if (kind.isSecret) requireOwn(file, await handle.stat());
      return await handle.readFile('utf8');
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
      throw new UsageError(`The ${kind.name} cannot be read${why}`, `give another ${kind.flag} FILE`);
    } finally {
      await handle?.close();
    }
  };
  return {
    ...(credentials === undefined ? {} : { credentials: await read(credentials, CREDENTIALS) }),
    ...(ca === undefined ? {} : { authority: await read(ca, AUTHORITY) }),
  };
}

interface Kind {
  name: string;
  flag: string;
  isSecret: boolean;
}

const CREDENTIALS: Kind = { name: 'credentials', flag: '--credentials', isSecret: true };
const AUTHORITY: Kind = { name: 'certificate of the authority', flag: '--ca', isSecret: false };

/** The permissions of the group and of all others. */
const FOR_OTHERS = 0o077;

/** @throws CommandError if other users may read the file */
function requireOwn(file: string, found: Stats): void {
  // The permissions of a pipe, such as one that a shell makes for `<(…)`, do not matter.
  if ((found.mode & FOR_OTHERS) === 0 || !found.isFile()) return;
  const shown = (found.mode & 0o777).toString(8);
  throw new UsageError(`Other users may read the credentials in ${file} (mode ${shown})`, `chmod 600 ${file}`);
}
