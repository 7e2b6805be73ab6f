export { addressToCall } from './address.ts';
export { resolveHome, resolvePlainly, thresholdsOf } from './resolve.ts';
export { resolveSettings } from './resolve-by-schema.ts';
export type { SettingFlags, SettingSources, SettingsFile } from './sources.ts';
