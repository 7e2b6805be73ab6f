import {
  type ResolvedSetting,
  SETTING_ROWS,
  type SettingRow,
  type Settings,
  settingRow,
} from '../../protocol/index.ts';
import { assertKnownKeys } from './file-keys.ts';
import type { SettingSources, SettingsFile } from './sources.ts';
import { readValue, type Spelling } from './values.ts';

/**
 * Returns the path of the CBOS home. This path must be resolved first, because config.toml is in that directory.
 * @throws CatalogueError invalid_setting
 */
export function resolveHome(sources: Omit<SettingSources, 'file'>): string {
  return String(resolveRow(settingRow('home'), { ...sources, file: null }, '').value);
}

export interface ResolvedSettings {
  settings: Settings;
  /** where each setting comes from, in the order of `SETTING_ROWS` */
  rows: ResolvedSetting[];
}

/**
 * Resolves each setting from the source with the highest precedence that contains it: flags, environment, config.toml,
 * defaults, in this order. An empty string counts as not set.
 * @throws CatalogueError invalid_setting for the first invalid value or key, with the reason
 */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  if (sources.file !== null) assertKnownKeys(sources.file);
  const home = resolveHome(sources);
  const rows = SETTING_ROWS.map((row) => resolveRow(row, sources, home));
  // At this point, each value has been checked, and each setting has a row.
  const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value])) as unknown as Settings;
  return { settings, rows };
}

/** An empty string does not count, because people use an empty variable to unset a setting in the environment. */
function resolveRow(row: SettingRow, sources: SettingSources, home: string): ResolvedSetting {
  const { flags, environment, file, toAbsolutePath } = sources;
  const { name } = row;
  const said: (Spelling & Pick<ResolvedSetting, 'origin'>)[] = [
    { origin: 'flag', place: `--${name.replaceAll('_', '-')}`, value: flags[name], toAbsolutePath },
  ];
  if (row.environment !== null) {
    said.push({ origin: 'environment', place: row.environment, value: environment[row.environment], toAbsolutePath });
  }
  if (file !== null && row.file !== null) {
    const value = valueAt(file.values, row.file);
    said.push({ origin: 'file', place: `${row.file} in ${file.path}`, value, toAbsolutePath: file.toAbsolutePath });
  }
  const fallback = typeof row.default === 'function' ? row.default(home) : row.default;
  if (fallback !== null)
    said.push({ origin: 'default', place: `the default of ${name}`, value: fallback, toAbsolutePath });
  const strongest = said.find(({ value }) => value !== undefined && value !== '');
  if (strongest === undefined) return { name, value: null, origin: 'default' };
  return { name, value: readValue(row, strongest), origin: strongest.origin };
}

/** `json.idle_timeout` refers to the key `idle_timeout` in the table `json`. */
function valueAt(values: SettingsFile['values'], key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => {
    const isTable = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
    return isTable ? (at as Readonly<Record<string, unknown>>)[name] : undefined;
  }, values);
}
