import { expect, test } from 'vitest';
import { resolvePlainly, resolveSettings, type SettingSources } from '../../../src/core/settings/index.ts';
import { SETTING_ROWS } from '../../../src/protocol/index.ts';

/** Valid and invalid values of each form, and values at the limits. */
const TEXTS = [
  ...['0', '1', '999', '1000', '60000', '60001', '65535', '65536', '20000000', '99999999', '100000000', '100000001'],
  ...[
    '9007199254740991',
    '9007199254740992',
    'true',
    'no',
    'screen',
    'json',
    'tmux',
    'send',
    'resume',
    'everything',
    'all',
    'always',
  ],
  ...[
    'a-token-that-is-long-enough',
    'short',
    'http://box',
    'https://box.example:8443/',
    'http://box:99999',
    'ftp://box',
  ],
  ...['http://', 'http://exa mple', 'HTTPS://box', 'a,b', '/srv/x', 'x', '28000-28999', '28000-', '9-1', '0-9'],
];

function resolveText(name: string, text: string): { plainly: unknown; bySchema: unknown } {
  const sources: SettingSources = {
    flags: { [name]: text },
    environment: {},
    file: null,
    toAbsolutePath: (path) => (path.startsWith('/') ? path : `/cwd/${path}`),
  };
  const outcome = (resolve: (from: SettingSources) => unknown): unknown => {
    try {
      return resolve(sources);
    } catch (error) {
      return String(error);
    }
  };
  return { plainly: outcome(resolvePlainly), bySchema: outcome(resolveSettings) };
}

test.each(SETTING_ROWS.map(({ name }) => name))(
  '%s is never accepted without the schema if the schema disagrees',
  (name) => {
    const all = TEXTS.map((text) => resolveText(name, text));
    for (const { plainly, bySchema } of all) if (plainly !== null) expect(plainly).toEqual(bySchema);
    // The list contains values that people write. The schemas are not loaded for them.
    expect(all.some(({ plainly }) => plainly !== null && typeof plainly !== 'string')).toBe(true);
  },
);
