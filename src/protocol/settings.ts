import type { SettingForm, SettingSpec, ValueOf } from './setting-forms.ts';
import { SETTINGS } from './setting-rows.ts';

type Table = typeof SETTINGS;
export type SettingName = keyof Table;

/** All settings with their resolved values. Paths are absolute. */
export type Settings = { -readonly [Name in SettingName]: ValueOf<Table[Name]> };

export type SessionsMay = Settings['sessions_may'];
export type LimitsThen = Settings['limits_then'];

export type SettingRow = SettingForm & {
  name: SettingName;
  /** the environment variable that sets it, or null if there is none */
  environment: string | null;
  /** the key in config.toml, with its table and a dot in front, or null if the file cannot contain the setting */
  file: string | null;
};

/** Returns the row of a setting. */
export function settingRow(name: SettingName): SettingRow {
  const spec: SettingSpec = SETTINGS[name];
  const { environment = `CBOS_${name.toUpperCase()}`, key = name, noEnvironment, noKey } = spec;
  return {
    ...spec,
    name,
    environment: noEnvironment === undefined ? environment : null,
    file: noKey === undefined ? key : null,
  };
}

/** Each setting, and where it can be set. */
export const SETTING_ROWS: readonly SettingRow[] = (Object.keys(SETTINGS) as SettingName[]).map(settingRow);

/** The settings whose row lacks a column, such as the reason why config.toml cannot contain it. */
type Without<Column extends string> = {
  [Name in SettingName]: Table[Name] extends Record<Column, string> ? never : Name;
}[SettingName];

/** Names a setting as config.toml does: `turns.checkpoints`. */
export const settingKey = (name: Without<'noKey'>): string => settingRow(name).file ?? name;

/** Names the environment variable that sets a setting. */
export const settingVariable = (name: Without<'noEnvironment'>): string => settingRow(name).environment ?? name;

/**
 * Tells where to set a setting: `` `turns.checkpoints = true` in config.toml ``. Every text that advises to set one
 * uses this, so that config.toml accepts the advised line.
 * @param value the advised value; if omitted, only the key is named
 */
export function inConfigFile<Name extends Without<'noKey'>>(name: Name, value?: Settings[Name]): string {
  return `\`${settingKey(name)}${value === undefined ? '' : ` = ${JSON.stringify(value)}`}\` in config.toml`;
}

export type SettingOrigin = 'flag' | 'environment' | 'file' | 'default';

/** A setting and the origin of its value, as `cbos config --json` prints them. */
export interface ResolvedSetting {
  name: SettingName;
  value: Settings[SettingName];
  origin: SettingOrigin;
}
