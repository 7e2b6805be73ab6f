import { Settings } from '../../protocol/index.ts';
import { type ResolvedSettings, resolveWith } from './resolve.ts';
import type { SettingSources } from './sources.ts';

/**
 * Resolves each setting from the source with the highest precedence that contains it, and validates the value against
 * the schemas.
 * @throws CatalogueError invalid_setting for the first invalid value or key, with the reason
 */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { settings, rows } = resolveWith(sources, (name, value) => {
    const checked = Settings.shape[name].safeParse(value);
    return checked.success ? { value: checked.data } : { refusal: checked.error.issues[0]?.message };
  });
  return { settings: Settings.parse(settings), rows };
}
