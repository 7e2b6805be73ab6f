import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What of a folder Claude Code obeys without asking once the folder is trusted: hooks, permissions, servers. */
const ACTING_FILES = ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'];

/**
 * Claude Code's own state, in which it keeps which folders are trusted: beside its configuration directory, or in one
 * that was named.
 */
function stateFile(env: Readonly<Record<string, string | undefined>>): string {
  const own = env.CLAUDE_CONFIG_DIR;
  return join(own !== undefined && own !== '' ? own : (env.HOME ?? '/'), '.claude.json');
}

/**
 * Whether a person has accepted Claude Code's trust dialog for a folder, or for one that it lies in (2.1.330: it asks
 * then in a terminal no more). With `-p` Claude Code never asks, and runs the folder's hooks and servers.
 * @param cwd absolute, links resolved
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
    return {}; // missing, unreadable or half written: nothing says that a folder is trusted
  }
}

/** The files of a folder that Claude Code would obey, by their names in it. */
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
