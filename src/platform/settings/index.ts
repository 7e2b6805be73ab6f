export { prepareHome } from './prepare-home.ts';
export { readSettings, type SettingsRequest } from './read-settings.ts';
