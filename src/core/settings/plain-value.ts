import {
  LIMITS_THEN,
  MACHINE_LABEL_PATTERN,
  parsePortRange,
  SESSION_TYPES,
  SESSIONS_MAY,
  SETTING_LIMITS,
  type SettingName,
  type Settings,
  SHORTEST_TOKEN,
  STATUS_LINE_TAPS,
} from '../../protocol/index.ts';

/** Only the schema can tell whether the value is valid. */
export class NotPlainError extends Error {
  override readonly name = 'NotPlainError';
}

/**
 * Accepts a value that is obviously valid. Its form has already been checked, so a string really is a string here.
 * @throws NotPlainError for every other value
 */
export function checkPlainly(name: SettingName, value: unknown): { value: Settings[SettingName] } {
  if (!isPlain(name, value)) throw new NotPlainError(name);
  return { value: value as Settings[SettingName] };
}

/** Matches addresses that every URL parser accepts unchanged. */
const PLAIN_URL = /^https?:\/\/[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*(:[1-9]\d{0,3})?\/?$/;

function isPlain(name: SettingName, value: unknown): boolean {
  if (isLimited(name)) {
    const { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number } = SETTING_LIMITS[name];
    return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
  }
  switch (name) {
    case 'public_url':
      return PLAIN_URL.test(String(value));
    case 'token':
      return String(value).length >= SHORTEST_TOKEN;
    case 'machine_labels':
      return Array.isArray(value) && value.every((label) => MACHINE_LABEL_PATTERN.test(label));
    case 'fleet_ssh':
      return Array.isArray(value) && value.length > 0;
    case 'worktree_ports':
      return parsePortRange(String(value)) !== null;
    case 'claude_command':
      return value !== '';
    case 'default_type':
      return SESSION_TYPES.some((one) => one === value);
    case 'sessions_may':
      return SESSIONS_MAY.some((one) => one === value);
    case 'limits_then':
      return LIMITS_THEN.some((one) => one === value);
    case 'status_line_tap':
      return STATUS_LINE_TAPS.some((one) => one === value);
    default:
      // Every string, list, and boolean is valid.
      return true;
  }
}

function isLimited(name: SettingName): name is keyof typeof SETTING_LIMITS {
  return Object.hasOwn(SETTING_LIMITS, name);
}
