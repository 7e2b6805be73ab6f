export { thresholdsOf } from '../status/thresholds.ts';
export { addressToCall } from './address.ts';
export { resolveHome, resolveSettings } from './resolve.ts';
export type { SettingFlags, SettingSources, SettingsFile } from './sources.ts';
