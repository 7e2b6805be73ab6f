import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The files in a folder that Claude Code obeys without asking once the folder is trusted. They define hooks,
 * permissions, and servers.
 */
const ACTING_FILES = ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'];

/**
 * Returns the file that contains Claude Code's own state, including the list of trusted folders. The file is next to
 * the default configuration directory, or inside the directory that the user has set.
 */
function stateFile(env: Readonly<Record<string, string | undefined>>): string {
  const own = env.CLAUDE_CONFIG_DIR;
  return join(own !== undefined && own !== '' ? own : (env.HOME ?? '/'), '.claude.json');
}

/**
 * Reports whether the user has accepted Claude Code's trust dialog for a folder or for one of its parents. In a
 * terminal, Claude Code 2.1.330 then does not ask again. With `-p`, Claude Code never asks, and runs the folder's hooks
 * and servers.
 * @param cwd an absolute path, with symbolic links resolved
 */
export async function isFolderTrusted(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<boolean> {
  const projects = await readProjects(stateFile(env));
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (projects[folder]?.hasTrustDialogAccepted === true) return true;
    if (folder === dirname(folder)) return false;
  }
}

async function readProjects(file: string): Promise<Record<string, { hasTrustDialogAccepted?: unknown } | undefined>> {
  try {
    const state: unknown = JSON.parse(await readFile(file, 'utf8'));
    const { projects } = (state ?? {}) as { projects?: unknown };
    return typeof projects === 'object' && projects !== null
      ? (projects as Awaited<ReturnType<typeof readProjects>>)
      : {};
  } catch {
    return {}; // missing, unreadable, or half written, so no folder counts as trusted
  }
}

/** Returns the names of the files in a folder that Claude Code would obey. */
export async function actingFiles(folder: string): Promise<string[]> {
  const found = await Promise.all(
    ACTING_FILES.map((name) =>
      stat(join(folder, name)).then(
        () => name,
        () => null,
      ),
    ),
  );
  return found.filter((name) => name !== null);
}
