/** Settings for Claude Code, as read from a file or from the command line. */
export type ClaudeSettings = Readonly<Record<string, unknown>>;

/** Why CBOS does not launch Claude Code with a user's settings. */
export type SettingsFault = { because: 'json'; where: string } | { because: 'hooks' } | { because: 'disabled' };

/**
 * Reads a user's settings. Claude Code drops settings that are not strict JSON, with only a warning (2.1.330), and with
 * them would drop the hooks of CBOS.
 */
export function readSettings(text: string): { settings: ClaudeSettings } | { fault: SettingsFault } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { fault: { because: 'json', where: placeOf(text, (error as Error).message) } };
  }
  if (!isObject(value))
    return { fault: { because: 'json', where: 'line 1, column 1: the settings are not an object' } };
  const { hooks = {}, disableAllHooks } = value;
  if (!isObject(hooks) || !Object.values(hooks).every(Array.isArray)) return { fault: { because: 'hooks' } };
  return disableAllHooks === true ? { fault: { because: 'disabled' } } : { settings: value };
}

/** Returns where and why the text is not JSON: `line 3, column 5: Expected …`. */
function placeOf(text: string, message: string): string {
  const said = message.replace(/ in JSON at position \d+.*$/s, '').replace(/, "?.*is not valid JSON$/s, '');
  const position = /at position (\d+)/.exec(message)?.[1];
  // Without a position, the text has ended too early (Node 20 to 24).
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${said}`;
}

/** Adds CBOS's settings to a user's. Hooks of both run, and CBOS's other settings win. */
export function mergeSettings(own: ClaudeSettings, ours: ClaudeSettings): ClaudeSettings {
  const hooks = new Map<string, unknown[]>();
  for (const { hooks: some } of [own, ours]) {
    for (const [event, entries] of Object.entries(isObject(some) ? some : {})) {
      hooks.set(event, [...(hooks.get(event) ?? []), ...(Array.isArray(entries) ? entries : [])]);
    }
  }
  return { ...own, ...ours, hooks: Object.fromEntries(hooks) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
