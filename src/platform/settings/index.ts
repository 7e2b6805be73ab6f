export { prepareHome } from './prepare-home.ts';
export { readSettings } from './read-settings.ts';
