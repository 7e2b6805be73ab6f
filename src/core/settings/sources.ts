import type { SettingName } from '../../protocol/index.ts';

/** Settings from command-line flags, exactly as typed. */
export type SettingFlags = Partial<Record<SettingName, string>>;

/** The parsed content of config.toml, with its keys unchanged. */
export interface SettingsFile {
  /** the path of the file, for messages */
  path: string;
  values: Readonly<Record<string, unknown>>;
  /**
   * like `SettingSources.toAbsolutePath`, but relative to the file's directory, so that the result is the same
   * wherever CBOS is run
   */
  toAbsolutePath: (path: string) => string;
}

export interface SettingSources {
  flags: SettingFlags;
  environment: Readonly<Record<string, string | undefined>>;
  /** null if there is no file */
  file: SettingsFile | null;
  /** makes a path absolute: `~` means the user's home, and a relative path is relative to the working directory */
  toAbsolutePath: (path: string) => string;
}
