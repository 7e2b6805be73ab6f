export { prepareHome } from './prepare-home.ts';
export { readRepositorySettings, readSettings } from './read-settings.ts';
