// The settings of the user, the project and the launch: which hooks run, what needs no permission.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} path */
function readJson(path) {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  } catch {
    // Claude Code 2.1.330 ignores a file that is not JSON.
    return {};
  }
}

/** Returns the directory of Claude Code's own files, given the environment. */
export const configDirectory = () => process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME ?? '/', '.claude');

/** @param {{ settings: string | null, cwd: string, allow?: string[], deny?: string[] }} launch */
export function readSettings({ settings, cwd, allow = [], deny = [] }) {
  const sources = [
    readJson(join(configDirectory(), 'settings.json')),
    readJson(join(cwd, '.claude', 'settings.json')),
    readJson(join(cwd, '.claude', 'settings.local.json')),
    settings === null ? {} : settings.startsWith('{') ? JSON.parse(settings) : readJson(settings),
  ];
  const rules = (/** @type {string} */ kind) => sources.flatMap((source) => source.permissions?.[kind] ?? []);
  const isDisabled = sources.some((source) => source.disableAllHooks === true);
  return {
    allow: [...rules('allow'), ...allow],
    deny: [...rules('deny'), ...deny],
    ask: rules('ask'),
    mode: sources.map((source) => source.permissions?.defaultMode).findLast((mode) => mode !== undefined) ?? 'default',
    model: sources.map((source) => source.model).findLast((model) => model !== undefined) ?? null,
    statusLine: isDisabled ? null : (sources.findLast((source) => source.statusLine !== undefined)?.statusLine ?? null),
    continuesAtLimit:
      sources.findLast((source) => source.autoContinueAtUsageLimit !== undefined)?.autoContinueAtUsageLimit !== false,
    /** @param {string} event */
    hooksOf: (event) => (isDisabled ? [] : sources.flatMap((source) => source.hooks?.[event] ?? [])),
  };
}

const stateFile = () =>
  process.env.CLAUDE_CONFIG_DIR
    ? join(process.env.CLAUDE_CONFIG_DIR, '.claude.json')
    : join(process.env.HOME ?? '/', '.claude.json');

/** Reports whether the user has accepted the trust dialog for a folder or one of its parents. */
export function isTrusted(/** @type {string} */ cwd) {
  const { projects = {} } = readJson(stateFile());
  for (let folder = cwd; ; folder = join(folder, '..')) {
    if (projects[folder]?.hasTrustDialogAccepted === true) return true;
    if (folder === '/') return false;
  }
}

/** @returns {[path: string, state: object]} the file of Claude Code's own state, with the folder as a trusted one */
export function trusting(/** @type {string} */ cwd) {
  const state = readJson(stateFile());
  const projects = { ...state.projects, [cwd]: { ...state.projects?.[cwd], hasTrustDialogAccepted: true } };
  return [stateFile(), { ...state, projects }];
}
