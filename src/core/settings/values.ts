import { CatalogueError, type SettingName, type Settings } from '../../protocol/index.ts';

/** The form that a setting's text must have. A `Check` then checks the type and the limits of the parsed value. */
type Form = 'text' | 'path' | 'command' | 'integer' | 'boolean' | 'list';

const FORMS: Readonly<Record<SettingName, Form>> = {
  home: 'path',
  host: 'text',
  port: 'integer',
  allow_remote: 'boolean',
  public_url: 'text',
  allowed_hosts: 'list',
  token: 'text',
  socket: 'path',
  default_type: 'text',
  stream_dir: 'path',
  stream_flush: 'boolean',
  max_buffer_size: 'integer',
  max_recording_size: 'integer',
  max_total_size: 'integer',
  keep_days: 'integer',
  max_file_size: 'integer',
  keep_files_days: 'integer',
  claude_command: 'command',
  claude_alternate_screen: 'boolean',
  stuck_threshold_ms: 'integer',
  status_spinner_settle_ms: 'integer',
  status_prompt_settle_ms: 'integer',
  status_silent_end_ms: 'integer',
  status_draw_lag_ms: 'integer',
  status_stale_screen_ms: 'integer',
  json_idle_timeout: 'integer',
  parking_after: 'integer',
  restore_at_start: 'boolean',
  limits_then: 'text',
  limits_floor: 'integer',
  machine_labels: 'list',
  fleet_ssh: 'list',
  worktree_ports: 'text',
  turn_checkpoints: 'boolean',
  turns_kept: 'integer',
  on_waiting: 'text',
  sessions_may: 'text',
  status_line_tap: 'text',
  screen_dir: 'path',
};

const WANTED: Readonly<Record<Form, string>> = {
  text: 'a text',
  path: 'a path',
  command: 'a command',
  integer: 'a whole number',
  boolean: 'true or false',
  list: 'a list of names',
};

/** The words that people use for booleans in environment variables, in upper or lower case. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

export interface Spelling {
  name: SettingName;
  /** where the value comes from, for error messages: `CBOS_PORT`, `--port`, `port in /home/me/.cbos/config.toml` */
  place: string;
  /** a string from a flag or the environment, or a value of any type from config.toml */
  value: unknown;
  toAbsolutePath: (path: string) => string;
}

/** Checks the type and the limits. Returns the value, or the reason why it is invalid. */
export type Check = (
  name: SettingName,
  value: unknown,
) => { value: Settings[SettingName] } | { refusal: string | undefined };

/**
 * Reads the value of a setting.
 * @throws CatalogueError invalid_setting, with the source, the value, and what is expected
 */
export function readValue(spelling: Spelling, check: Check): Settings[SettingName] {
  const { name } = spelling;
  const form = FORMS[name];
  const read = readForm(form, spelling);
  if (read === undefined) throw refuse(spelling, `must be ${WANTED[form]}`);
  const checked = check(name, read);
  if ('refusal' in checked) throw refuse(spelling, checked.refusal ?? `must be ${WANTED[form]}`);
  return checked.value;
}

/** Parses a value that should have this form. Returns undefined if it has a different form. */
function readForm(form: Form, { value, toAbsolutePath }: Spelling): unknown {
  switch (form) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'path':
      return typeof value === 'string' ? toAbsolutePath(value) : undefined;
    case 'command':
      // A word without a slash remains unchanged, because it is looked up in PATH when it is needed.
      return typeof value === 'string' ? (value.includes('/') ? toAbsolutePath(value) : value) : undefined;
    case 'integer':
      return readInteger(value);
    case 'boolean':
      return typeof value === 'boolean' ? value : BOOLEANS.get(String(value).trim().toLowerCase());
    case 'list':
      return readList(value);
  }
}

function readInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : undefined;
}

/** Reads a list, which is comma-separated in a string and an array in config.toml. */
function readList(value: unknown): string[] | undefined {
  const items = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined;
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function refuse({ name, place, value }: Spelling, reason: string): CatalogueError {
  // A secret must not appear in messages or logs.
  const shown = name === 'token' ? 'the given value' : JSON.stringify(value);
  return new CatalogueError('invalid_setting', `${place} cannot be ${shown}: ${reason}`, {
    hint: `Change or remove ${place}`,
  });
}
