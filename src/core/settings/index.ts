export { resolveHome, resolveSettings } from './resolve.ts';
export type { SettingFlags, SettingSources, SettingsFile } from './sources.ts';
