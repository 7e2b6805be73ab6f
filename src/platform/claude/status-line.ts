import { join } from 'node:path';
import { z } from 'zod';
import type { ClaudeSettings } from '../../core/launch/index.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { configDirectory } from './own-files.ts';

/** A status line as Claude Code would show it, with all fields of the setting (`padding`, `refreshInterval`, …). */
export const StatusLine = z.looseObject({ type: z.literal('command'), command: z.string() });
export type StatusLine = z.infer<typeof StatusLine>;

/** The file that contains an organization's settings, which override the settings of a launch. */
const MANAGED_FILE = '/etc/claude-code/managed-settings.json';

/**
 * The maximum size of a settings file. This is far more than a user would write, but a hostile repository may contain
 * anything.
 */
const MOST_BYTES = 1_000_000;

export interface StatusLinePlace {
  /** the environment of the session */
  env: Readonly<Record<string, string>>;
  /** the directory of the session */
  cwd: string;
  /** the path of the file with an organization's settings, which tests can set */
  managedFile?: string;
  /** the settings that the user passes on to Claude Code, which win over files */
  own?: ClaudeSettings | null;
}

/**
 * Returns the user's own status line, or null if there is none. `managed` means that an organization sets it, so that
 * no launch can override it. Claude Code merges the settings of the user, the project, and the project's local file
 * field by field, and later files win (2.1.330).
 */
export async function readStatusLine({
  env,
  cwd,
  managedFile = MANAGED_FILE,
  own = null,
}: StatusLinePlace): Promise<StatusLine | 'managed' | null> {
  if ((await statusLineIn(managedFile)) !== null) return 'managed';
  const files = [
    join(configDirectory(env), 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
  ];
  const found = await Promise.all(files.map(statusLineIn));
  const merged = StatusLine.safeParse(Object.assign({}, ...found.map((one) => one ?? {}), own?.statusLine));
  return merged.success ? merged.data : null;
}

const SettingsFile = z.looseObject({ statusLine: z.looseObject({}) });

async function statusLineIn(file: string): Promise<Record<string, unknown> | null> {
  try {
    const text = await readRegularFile(file, { mostBytes: MOST_BYTES });
    return text === null ? null : SettingsFile.parse(JSON.parse(text.replace(/^\uFEFF/, ''))).statusLine;
  } catch {
    return null; // missing, unreadable, or without a status line: Claude Code shows none from this file either
  }
}
