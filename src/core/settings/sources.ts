import type { SettingName } from '../../protocol/index.ts';

/** Settings from command-line flags, exactly as the user typed them. */
export type SettingFlags = Partial<Record<SettingName, string>>;

/** The parsed contents of config.toml, with its keys unchanged. */
export interface SettingsFile {
  /** the path of the file, for error messages */
  path: string;
  values: Readonly<Record<string, unknown>>;
  /**
   * works like `SettingSources.toAbsolutePath`, but relative to the file's directory, so that the result does not
   * depend on where CBOS is run
   */
  toAbsolutePath: (path: string) => string;
}

export interface SettingSources {
  flags: SettingFlags;
  environment: Readonly<Record<string, string | undefined>>;
  /** the settings file, or null if it does not exist */
  file: SettingsFile | null;
  /**
   * makes a path absolute; `~` refers to the user's home, and a relative path is resolved against the working directory
   */
  toAbsolutePath: (path: string) => string;
}
