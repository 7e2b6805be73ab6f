export { addressToCall } from './address.ts';
export { resolveHome, resolveSettings, thresholdsOf } from './resolve.ts';
export type { SettingFlags, SettingSources, SettingsFile } from './sources.ts';
