import type { SettingName } from '../../protocol/index.ts';

/** Settings that flags of the command line set, each as the text that was typed. */
export type SettingFlags = Partial<Record<SettingName, string>>;

/** What config.toml says, parsed; keys as they stand in it. */
export interface SettingsFile {
  /** where it is, for messages */
  path: string;
  values: Readonly<Record<string, unknown>>;
  /**
   * as `SettingSources.toAbsolutePath`, but relative to where the file is: it means the same wherever CBOS is called
   */
  toAbsolutePath: (path: string) => string;
}

export interface SettingSources {
  flags: SettingFlags;
  environment: Readonly<Record<string, string | undefined>>;
  /** null where there is none */
  file: SettingsFile | null;
  /** makes a path absolute: `~` is the user's home, anything relative is below the working directory */
  toAbsolutePath: (path: string) => string;
}
