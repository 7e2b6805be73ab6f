import {
  type ResolvedSetting,
  SETTING_ROWS,
  type SettingName,
  type SettingOrigin,
  type SettingRow,
  type Settings,
} from '../../protocol/index.ts';
import { DEFAULT_THRESHOLDS, type Thresholds } from '../status/thresholds.ts';
import { assertKnownKeys } from './file-keys.ts';
import { checkPlainly, NotPlainError } from './plain-value.ts';
import type { SettingSources, SettingsFile } from './sources.ts';
import { type Check, readValue, type Spelling } from './values.ts';

/** The directory in which CBOS keeps all of its own files. */
const DEFAULT_HOME = '~/.cbos';
/**
 * The default is 127.0.0.1. The API can type into terminals, so only this machine can reach it unless someone
 * configures it otherwise.
 */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 32_205;
const DEFAULT_STREAM_DIR = '~/claude_streams';
/** The default is about a thousand full lines, which is as much as a newly connected client wants to see. */
const DEFAULT_MAX_BUFFER_SIZE = 100_000;
/** The default is enough for months of a busy session. An hour of output takes about 1 MB when packed. */
const DEFAULT_MAX_RECORDING_SIZE = 1_000_000_000;
/** The default is a size that a laptop's disk can spare. */
const DEFAULT_MAX_TOTAL_SIZE = 20_000_000_000;
/**
 * The default covers photos taken with a phone, which are 3 to 8 MB. Claude Code itself shrinks images, and reads no
 * PDF larger than 32 MB.
 */
const DEFAULT_MAX_FILE_SIZE = 25_000_000;
/**
 * By default, a session may send prompts to another session, but only a user may answer questions that are meant for
 * the user.
 */
const DEFAULT_SESSIONS_MAY = 'send';
/**
 * By default, CBOS adds no status line of its own, because any status line takes a row of the screen away from Claude
 * Code and hides the hint `? for shortcuts` (2.1.330).
 */
const DEFAULT_STATUS_LINE_TAP = 'own';
/** The default is a quarter of a year. Older work can be found in the repository. */
const DEFAULT_KEEP_DAYS = 90;
/**
 * The default range lies below the ports that Linux assigns automatically (32768 and up), and avoids those that
 * development servers commonly use. A thousand ports are more than the sessions of one machine need.
 */
const DEFAULT_WORKTREE_PORTS = '28000-28999';
/**
 * A turn that changes ten files takes about 50 kB in the repository before `git gc`, so the default costs a few
 * megabytes per session.
 */
const DEFAULT_TURNS_KEPT = 100;
/**
 * An idle Claude Code uses 250 MB, and starting it again takes a second. The default of five minutes covers the time
 * that a user spends thinking between two prompts.
 */
const DEFAULT_JSON_IDLE_TIMEOUT_S = 300;

/**
 * Returns the path of the CBOS home. This path must be resolved first, because config.toml is in that directory.
 * @throws CatalogueError invalid_setting
 */
export function resolveHome(sources: Omit<SettingSources, 'file'>): string {
  const row = SETTING_ROWS.find(({ name }) => name === 'home');
  // The value is a path, so checking its form is enough.
  const said = row && findSaid(row, { ...sources, file: null }, checkPlainly);
  return said === undefined ? sources.toAbsolutePath(DEFAULT_HOME) : String(said.value);
}

/**
 * Works like `resolveSettings`, but without the schemas, which take longer to load than everything else in `cbos ls`.
 * @returns null if only the schemas can tell whether a value is valid, or what is wrong with it
 * @throws CatalogueError invalid_setting for an unknown key or for a value in the wrong form
 */
export function resolvePlainly(sources: SettingSources): ResolvedSettings | null {
  try {
    return resolveWith(sources, checkPlainly);
  } catch (error) {
    if (error instanceof NotPlainError) return null;
    throw error;
  }
}

export interface ResolvedSettings {
  settings: Settings;
  /** where each setting comes from, in the order of `SETTING_ROWS` */
  rows: ResolvedSetting[];
}

/**
 * Resolves each setting from the source with the highest precedence that contains it: flags, environment, config.toml,
 * defaults, in this order. An empty string counts as not set.
 * @throws CatalogueError invalid_setting for the first invalid value or key
 */
export function resolveWith(sources: SettingSources, check: Check): ResolvedSettings {
  if (sources.file !== null) assertKnownKeys(sources.file);
  const defaults = defaultsIn(resolveHome(sources), sources.toAbsolutePath);
  const rows = SETTING_ROWS.map(
    (row): ResolvedSetting => ({
      name: row.name,
      ...(findSaid(row, sources, check) ?? { value: defaults[row.name], origin: 'default' }),
    }),
  );
  // At this point, each value has been checked, and each setting has a row.
  const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value])) as unknown as Settings;
  return { settings, rows };
}

/** Returns the status thresholds that the settings define. */
export const thresholdsOf = (settings: Settings): Thresholds => ({
  stuckMs: settings.stuck_threshold_ms,
  spinnerSettleMs: settings.status_spinner_settle_ms,
  promptSettleMs: settings.status_prompt_settle_ms,
  silentEndMs: settings.status_silent_end_ms,
  drawLagMs: settings.status_draw_lag_ms,
  staleScreenMs: settings.status_stale_screen_ms,
});

function defaultsIn(home: string, toAbsolutePath: (path: string) => string): Settings {
  return {
    home,
    host: DEFAULT_HOST,
    port: DEFAULT_PORT,
    allow_remote: false,
    public_url: null,
    allowed_hosts: [],
    token: null,
    socket: `${home}/cbos.sock`,
    default_type: null,
    stream_dir: toAbsolutePath(DEFAULT_STREAM_DIR),
    stream_flush: true,
    max_buffer_size: DEFAULT_MAX_BUFFER_SIZE,
    max_recording_size: DEFAULT_MAX_RECORDING_SIZE,
    max_total_size: DEFAULT_MAX_TOTAL_SIZE,
    keep_days: DEFAULT_KEEP_DAYS,
    max_file_size: DEFAULT_MAX_FILE_SIZE,
    keep_files_days: DEFAULT_KEEP_DAYS,
    claude_command: 'claude',
    claude_alternate_screen: false,
    stuck_threshold_ms: DEFAULT_THRESHOLDS.stuckMs,
    status_spinner_settle_ms: DEFAULT_THRESHOLDS.spinnerSettleMs,
    status_prompt_settle_ms: DEFAULT_THRESHOLDS.promptSettleMs,
    status_silent_end_ms: DEFAULT_THRESHOLDS.silentEndMs,
    status_draw_lag_ms: DEFAULT_THRESHOLDS.drawLagMs,
    status_stale_screen_ms: DEFAULT_THRESHOLDS.staleScreenMs,
    json_idle_timeout: DEFAULT_JSON_IDLE_TIMEOUT_S,
    parking_after: 0,
    restore_at_start: false,
    limits_then: 'native',
    limits_floor: 0,
    machine_labels: [],
    fleet_ssh: ['ssh'],
    worktree_ports: DEFAULT_WORKTREE_PORTS,
    turn_checkpoints: false,
    turns_kept: DEFAULT_TURNS_KEPT,
    on_waiting: null,
    sessions_may: DEFAULT_SESSIONS_MAY,
    status_line_tap: DEFAULT_STATUS_LINE_TAP,
    screen_dir: null,
  };
}

interface Said {
  value: Settings[SettingName];
  origin: SettingOrigin;
}

/**
 * Returns the value from the source with the highest precedence. An empty string does not count, because people use an
 * empty variable to unset a setting in the environment.
 */
function findSaid(row: SettingRow, sources: SettingSources, check: Check): Said | undefined {
  const { flags, environment, file, toAbsolutePath } = sources;
  const { name } = row;
  const said: (Omit<Spelling, 'name'> & { origin: SettingOrigin })[] = [
    { origin: 'flag', place: `--${name.replaceAll('_', '-')}`, value: flags[name], toAbsolutePath },
  ];
  if (row.environment !== null) {
    said.push({ origin: 'environment', place: row.environment, value: environment[row.environment], toAbsolutePath });
  }
  if (file !== null && row.file !== null) {
    const value = valueAt(file.values, row.file);
    said.push({ origin: 'file', place: `${row.file} in ${file.path}`, value, toAbsolutePath: file.toAbsolutePath });
  }
  const strongest = said.find(({ value }) => value !== undefined && value !== '');
  return strongest && { value: readValue({ name, ...strongest }, check), origin: strongest.origin };
}

/** `json.idle_timeout` refers to the key `idle_timeout` in the table `json`. */
function valueAt(values: SettingsFile['values'], key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => {
    const isTable = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
    return isTable ? (at as Readonly<Record<string, unknown>>)[name] : undefined;
  }, values);
}
