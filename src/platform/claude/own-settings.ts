import { resolve } from 'node:path';
import { type ClaudeSettings, readSettings, type SettingsFault, settingsArgument } from '../../core/launch/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { readRegularFile } from '../files/regular-file.ts';

/** The maximum size of a settings file, which is far more than a user would write. */
const MOST_BYTES = 1_000_000;

/**
 * Returns the settings that a user passes on to Claude Code with `--settings`, as JSON or as a file; null if there are
 * none. Of several, Claude Code takes only the last (2.1.330).
 * @throws CatalogueError invalid_settings
 */
export async function readOwnSettings(args: readonly string[], cwd: string): Promise<ClaudeSettings | null> {
  const argument = settingsArgument(args);
  if (argument === null) return null;
  const isInline = argument.trim().startsWith('{');
  const text = isInline ? argument : await readFileText(resolve(cwd, argument));
  const read = readSettings(text);
  if ('settings' in read) return read.settings;
  throw refusal(isInline ? 'The text after --settings' : argument, read.fault);
}

async function readFileText(path: string): Promise<string> {
  const text = await readRegularFile(path, { mostBytes: MOST_BYTES }).catch((cause: unknown) => {
    throw new CatalogueError(
      'invalid_settings',
      `The settings file ${path} cannot be read: ${(cause as Error).message}`,
    );
  });
  if (text !== null) return text;
  throw new CatalogueError('invalid_settings', `${path} isn't a file, or is longer than ${MOST_BYTES} bytes`);
}

function refusal(name: string, fault: SettingsFault): CatalogueError {
  switch (fault.because) {
    case 'json':
      return new CatalogueError('invalid_settings', `${name} isn't valid JSON: ${fault.where}`);
    case 'hooks':
      return new CatalogueError('invalid_settings', `${name} has hooks that Claude Code cannot read`, {
        hint: 'Give each event a list, as in {"hooks": {"Stop": [{"hooks": […]}]}}',
      });
    case 'disabled':
      return new CatalogueError(
        'invalid_settings',
        `${name} disables all hooks, through which CBOS follows a session`,
        {
          hint: 'Remove "disableAllHooks" from these settings',
        },
      );
  }
}
