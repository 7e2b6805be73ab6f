import { Settings } from '../../protocol/index.ts';
import { type ResolvedSettings, resolveWith } from './resolve.ts';
import type { SettingSources } from './sources.ts';

/**
 * Every setting, from the strongest source that says it, held against the schemas.
 * @throws CatalogueError invalid_setting for the first value or key that cannot be, and why
 */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { settings, rows } = resolveWith(sources, (name, value) => {
    const checked = Settings.shape[name].safeParse(value);
    return checked.success ? { value: checked.data } : { refusal: checked.error.issues[0]?.message };
  });
  return { settings: Settings.parse(settings), rows };
}
