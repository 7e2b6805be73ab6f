import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { nearestWord } from '../../../src/core/settings/file-keys.ts';
import { resolveHome, resolveSettings, type SettingSources } from '../../../src/core/settings/index.ts';
import {
  CatalogueError,
  ERRORS,
  inConfigFile,
  SETTING_ROWS,
  type SettingName,
  type Settings,
} from '../../../src/protocol/index.ts';
import { checkpointLines } from '../../../src/text/checkpoint-words.ts';

const toAbsolutePath = (path: string) => (path.startsWith('/') ? path : `/cwd/${path}`.replace('/cwd/~', '/home/me'));

function sources(parts: { flags?: SettingSources['flags']; environment?: Record<string, string>; file?: object }) {
  return {
    flags: parts.flags ?? {},
    environment: parts.environment ?? {},
    file:
      parts.file === undefined
        ? null
        : {
            path: '/home/me/.cbos/config.toml',
            values: parts.file as Record<string, unknown>,
            toAbsolutePath: (path: string) => (path.startsWith('/') ? path : `/home/me/.cbos/${path}`),
          },
    toAbsolutePath,
  } satisfies SettingSources;
}

/** Returns the error of resolving, as message and hint. */
function failure(parts: Parameters<typeof sources>[0]) {
  try {
    resolveSettings(sources(parts));
  } catch (error) {
    if (error instanceof CatalogueError) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('without any setting', () => {
  test('the documented defaults apply', () => {
    const { settings, rows } = resolveSettings(sources({}));
    expect(settings).toEqual({
      home: '/home/me/.cbos',
      host: '127.0.0.1',
      port: 32205,
      allow_remote: false,
      public_url: null,
      allowed_hosts: [],
      token: null,
      socket: '/home/me/.cbos/cbos.sock',
      default_type: null,
      stream_dir: '/home/me/claude_streams',
      stream_flush: true,
      max_buffer_size: 100_000,
      max_recording_size: 1_000_000_000,
      max_total_size: 20_000_000_000,
      keep_days: 90,
      max_file_size: 25_000_000,
      keep_files_days: 90,
      claude_command: 'claude',
      claude_alternate_screen: false,
      stuck_threshold_ms: 15_000,
      status_spinner_settle_ms: 250,
      status_prompt_settle_ms: 200,
      status_silent_end_ms: 600,
      status_draw_lag_ms: 1_000,
      status_stale_screen_ms: 3_000,
      json_idle_timeout: 300,
      parking_after: 0,
      restore_at_start: false,
      limits_then: 'native',
      limits_floor: 0,
      machine_labels: [],
      fleet_ssh: ['ssh'],
      worktree_ports: '28000-28999',
      turn_checkpoints: false,
      turns_kept: 100,
      on_waiting: null,
      sessions_may: 'send',
      status_line_tap: 'own',
      screen_dir: null,
    });
    expect(rows.map(({ name }) => name)).toEqual(SETTING_ROWS.map(({ name }) => name));
    expect(new Set(rows.map(({ origin }) => origin))).toEqual(new Set(['default']));
  });

  test('an empty text counts as not set', () => {
    const { settings } = resolveSettings(
      sources({ environment: { CBOS_HOST: '', CBOS_TOKEN: '', SCREENDIR: '' }, file: { host: '' } }),
    );
    expect(settings).toMatchObject({ host: '127.0.0.1', token: null, screen_dir: null });
  });
});

test('a flag overrides the environment, which overrides config.toml, and each row names its source', () => {
  const all = {
    flags: { port: '1' },
    environment: { CBOS_PORT: '2', CBOS_HOST: 'h2' },
    file: { port: 3, host: 'h3', claude_command: 'c3' },
  };
  const { rows } = resolveSettings(sources(all));
  const said = Object.fromEntries(rows.map(({ name, value, origin }) => [name, [value, origin]]));
  expect(said).toMatchObject({
    port: [1, 'flag'],
    host: ['h2', 'environment'],
    claude_command: ['c3', 'file'],
    socket: ['/home/me/.cbos/cbos.sock', 'default'],
  });
});

test.each(['28000', '9-1', '0-9', '1-65536', '28000-28999x', '-1-5'])('the range of ports %j is refused', (text) => {
  expect(() => resolveSettings(sources({ file: { worktrees: { ports: text } } }))).toThrow('must be a range of ports');
});

test('the socket follows a home that was moved', () => {
  const moved = sources({ environment: { CBOS_HOME: '/srv/cbos' } });
  expect(resolveHome(moved)).toBe('/srv/cbos');
  expect(resolveSettings(moved).settings.socket).toBe('/srv/cbos/cbos.sock');
});

describe('how values are written', () => {
  test.each([
    ['CBOS_STREAM_STREAM_FLUSH', 'false', 'stream_flush', false],
    ['CBOS_STREAM_STREAM_FLUSH', 'No', 'stream_flush', false],
    ['CBOS_CLAUDE_ALTERNATE_SCREEN', '1', 'claude_alternate_screen', true],
    ['CBOS_CLAUDE_ALTERNATE_SCREEN', 'YES', 'claude_alternate_screen', true],
    ['CBOS_MACHINE_LABELS', 'gpu,x86-64', 'machine_labels', ['gpu', 'x86-64']],
    ['CBOS_ALLOWED_HOSTS', 'a.example, b.example,,', 'allowed_hosts', ['a.example', 'b.example']],
    ['CBOS_STREAM_STREAM_DIR', '~/streams', 'stream_dir', '/home/me/streams'],
    ['CBOS_HOME', 'here', 'home', '/cwd/here'],
    ['CBOS_CLAUDE_COMMAND', 'claude-2', 'claude_command', 'claude-2'],
    ['CBOS_CLAUDE_COMMAND', '~/bin/claude', 'claude_command', '/home/me/bin/claude'],
    ['CBOS_PORT', '0', 'port', 0],
    ['CBOS_DEFAULT_TYPE', 'json', 'default_type', 'json'],
  ])('%s=%s', (variable, text, name, value) => {
    expect(resolveSettings(sources({ environment: { [variable]: text } })).settings).toMatchObject({ [name]: value });
  });

  test.each([
    [{ stream_flush: false }, { stream_flush: false }],
    [{ allowed_hosts: ['a.example'] }, { allowed_hosts: ['a.example'] }],
    [{ stuck_threshold_ms: 30_000 }, { stuck_threshold_ms: 30_000 }],
    [{ status: { draw_lag_ms: 5_000 } }, { status_draw_lag_ms: 5_000, status_silent_end_ms: 600 }],
    [{ on_waiting: 'notify-send "$CBOS_SLUG"' }, { on_waiting: 'notify-send "$CBOS_SLUG"' }],
    [{ stream_dir: 'streams' }, { stream_dir: '/home/me/.cbos/streams' }],
  ])('in config.toml: %j', (file, settings) => {
    expect(resolveSettings(sources({ file })).settings).toMatchObject(settings);
  });
});

describe('the address behind a proxy', () => {
  test.each([
    ['https://box.example:8443/', 'https://box.example:8443/'],
    ['HTTPS://Box', 'HTTPS://Box'],
    [' http://box ', 'http://box'],
    ['http://exam\nple.com', 'http://example.com'],
    ['http://[::1]:80', 'http://[::1]:80'],
    ['http://münchen.example', 'http://münchen.example'],
  ])('%j is accepted', (text, address) => {
    expect(resolveSettings(sources({ flags: { public_url: text } })).settings.public_url).toBe(address);
  });

  test.each([
    ...['box.example', '//box', 'ftp://box', 'http:box', 'https:/box', 'http:\n//box', 'h\nttp://box', 'http://'],
    ...['http://exa mple', 'http://box:99999', 'http://[::1', 'http://1.2.3.256', 'http://a<b', 'http:\\\\box'],
  ])('%j is refused', (text) => {
    expect(failure({ flags: { public_url: text } }).message).toContain(': Invalid URL');
  });
});

describe('an invalid value is refused with its place and its cure', () => {
  test.each([
    ['CBOS_PORT', 'abc', 'CBOS_PORT cannot be "abc": must be a whole number'],
    ['CBOS_PORT', '-1', 'CBOS_PORT cannot be "-1": must be a whole number'],
    ['CBOS_PORT', '70000', 'CBOS_PORT cannot be "70000": '],
    ['CBOS_STREAM_STREAM_FLUSH', 'maybe', 'CBOS_STREAM_STREAM_FLUSH cannot be "maybe": must be true or false'],
    ['CBOS_STUCK_THRESHOLD_MS', '10', 'CBOS_STUCK_THRESHOLD_MS cannot be "10": '],
    ['CBOS_DEFAULT_TYPE', 'tmux', 'CBOS_DEFAULT_TYPE cannot be "tmux": '],
    ['CBOS_PUBLIC_URL', 'javascript:alert(1)', 'CBOS_PUBLIC_URL cannot be "javascript:alert(1)": Invalid URL'],
    ['CBOS_LIMITS_FLOOR', '100', 'CBOS_LIMITS_FLOOR cannot be "100": Too big: expected number to be <=99'],
    ['CBOS_KEEP_FILES_DAYS', '9007199254740993', 'Too big: expected int to be <=9007199254740991'],
    ['CBOS_LIMITS_THEN', 'later', 'Invalid option: expected one of "native"|"resume"|"ask"|"never"'],
    ['CBOS_MACHINE_LABELS', 'gpu,GPU', 'must be labels such as gpu or x86-64'],
    ['CBOS_FLEET_SSH', ',', 'Too small: expected array to have >=1 items'],
  ])('%s=%s', (variable, text, message) => {
    const refused = failure({ environment: { [variable]: text } });
    expect(refused.code).toBe('invalid_setting');
    expect(refused.message).toContain(message);
    expect(refused.hint).toContain(variable);
  });

  // Eight emoji are sixteen units of UTF-16, but only eight characters.
  test.each(['hunter2', '😀'.repeat(8)])('a token that is too short is never shown: %s', (token) => {
    const { message } = failure({ environment: { CBOS_TOKEN: token } });
    expect(message).toContain('CBOS_TOKEN cannot be the given value');
    expect(message).not.toContain(token);
    expect(message).toContain('Too small: expected string to have >=16 characters');
  });

  test('a value of config.toml names the key and the file', () => {
    expect(failure({ file: { port: 'many' } }).message).toBe(
      'port in /home/me/.cbos/config.toml cannot be "many": must be a whole number',
    );
    expect(failure({ file: { status: { draw_lag_ms: '1 s' } } }).message).toBe(
      'status.draw_lag_ms in /home/me/.cbos/config.toml cannot be "1 s": must be a whole number',
    );
    expect(failure({ file: { status: { silent_end_ms: 86_400_000 } } }).message).toContain('cannot be 86400000: ');
    expect(failure({ file: { allowed_hosts: [1] } }).message).toContain('must be a list of names');
  });

  test('a flag is named as it was typed', () => {
    expect(failure({ flags: { stuck_threshold_ms: 'x' } }).message).toContain('--stuck-threshold-ms cannot be "x"');
  });
});

describe('keys of config.toml', () => {
  test('a typo is refused with the key that was meant', () => {
    const refused = failure({ file: { prot: 1 } });
    expect(refused).toEqual({
      code: 'invalid_setting',
      message: '/home/me/.cbos/config.toml has an unknown key: prot',
      hint: 'Did you mean port?',
    });
  });

  test('a key unlike any other is refused with the list of all keys', () => {
    expect(failure({ file: { colour: 'red' } }).hint).toMatch(/^The known keys are host, port, /);
  });

  test('a setting that only the environment can set is referred there', () => {
    expect(failure({ file: { home: '/x' } })).toMatchObject({
      message: 'home cannot be set in /home/me/.cbos/config.toml',
      hint: 'Set CBOS_HOME in the environment',
    });
  });

  test.each([
    [{ turn_checkpoints: true }, 'turn_checkpoints', 'turns.checkpoints', 'checkpoints in the table [turns]'],
    [{ json_idle_timeout: 1 }, 'json_idle_timeout', 'json.idle_timeout', 'idle_timeout in the table [json]'],
    [{ turns: { turns_kept: 5 } }, 'turns.turns_kept', 'turns.kept', 'kept in the table [turns]'],
    [{ restore: { turns: { kept: 5 } } }, 'restore.turns.kept', 'turns.kept', 'kept in the table [turns]'],
  ])('%j is refused with the key and the table that the setting has', (file, unknown, key, inTable) => {
    expect(failure({ file })).toMatchObject({
      message: `/home/me/.cbos/config.toml has an unknown key: ${unknown}`,
      hint: `Write ${key} above the first table, or ${inTable}`,
    });
  });

  test('a key below the header of another table is refused with its place', () => {
    expect(failure({ file: { turns: { kept: 5, port: 1 } } }).hint).toBe('Write port above the first table');
    expect(failure({ file: { status: { draw_lag_ms: {} } } }).message).toContain('status.draw_lag_ms');
  });

  test('a key in a table is read like any other, and an unknown one is refused; rules have a separate reader', () => {
    const { settings } = resolveSettings(sources({ file: { rules: [{ id: 'x' }], json: { idle_timeout: 60 } } }));
    expect(settings.json_idle_timeout).toBe(60);
    const wrong = () => resolveSettings(sources({ file: { json: { idle_timout: 60 } } }));
    expect(wrong).toThrow(/unknown key: json\.idle_timout/);
    expect(failure({ file: { status: { draw_leg_ms: 1 } } }).hint).toBe('Did you mean status.draw_lag_ms?');
  });
});

test.each([
  ['prot', 'port'],
  ['stuck_treshold', 'stuck_threshold_ms'],
  ['stuck_treshold_ms', 'stuck_threshold_ms'],
  ['hots', 'host'],
  ['zzz', null],
])('the nearest word to %s is %s', (word, nearest) => {
  expect(nearestWord(word, ['port', 'host', 'stuck_threshold_ms'])).toBe(nearest);
});

/** Returns the lines that a text advises to write into config.toml, and the keys that it names without a value. */
const advisedIn = (text: string) => [...text.matchAll(/`([^`]+)` in config\.toml/g)].map(([, line = '']) => line);

/** Writes an advised line into config.toml, above a table that is already there. */
const follow = (line: string) => resolveSettings(sources({ file: parse(`${line}\n[limits]\nfloor = 20\n`) }));

describe('config.toml accepts the line that is advised for', () => {
  /** A value of each setting that has no default which could be written. */
  const EXAMPLES: Partial<Settings> = {
    public_url: 'https://box.example',
    token: 'a-token-that-is-long-enough',
    default_type: 'json',
    on_waiting: 'notify-send "$CBOS_SLUG"',
  };
  const inFile = SETTING_ROWS.filter(({ name, file }) => file !== null && !name.startsWith('limits_'));

  test.each(inFile.map(({ name }) => name))('%s', (name) => {
    const value = EXAMPLES[name] ?? resolveSettings(sources({})).settings[name];
    const [line = ''] = advisedIn(inConfigFile(name as 'port', value as number));
    const row = follow(line).rows.find((one) => one.name === name);
    expect(row).toEqual({ name, value, origin: 'file' });
  });

  test('each error of the catalogue, and the words about checkpoints', () => {
    const texts = [...Object.values(ERRORS).map(({ hint }) => hint), ...checkpointLines({ kind: 'none' })];
    const lines = texts.flatMap(advisedIn);
    expect(lines).toEqual(
      expect.arrayContaining(['status_line_tap = "always"', 'sessions_may = "everything"', 'turns.checkpoints = true']),
    );
    const keys = SETTING_ROWS.map(({ file }) => file);
    for (const line of lines) {
      if (line.includes('=')) expect(follow(line).rows.filter(({ origin }) => origin === 'file')).toHaveLength(2);
      else expect(keys).toContain(line);
    }
  });

  test.each(SETTING_ROWS.filter(({ file, name }) => file !== null && file !== name))(
    'the name $name is refused in config.toml, and the key in the hint is accepted',
    ({ name, file }) => {
      const value = resolveSettings(sources({})).settings[name];
      const { hint } = failure({ file: { [name satisfies SettingName]: value } });
      const [, key = '', last = '', table = ''] =
        /^Write (\S+) above the first table, or (\S+) in the table \[(\S+)\]$/.exec(hint) ?? [];
      expect(key).toBe(file);
      for (const text of [`${key} = ${JSON.stringify(value)}`, `[${table}]\n${last} = ${JSON.stringify(value)}`]) {
        expect(resolveSettings(sources({ file: parse(text) })).settings[name]).toEqual(value);
      }
    },
  );
});
