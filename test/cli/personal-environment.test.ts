import { describe, expect, test } from 'vitest';
import { personalEnvironment } from '../../src/local/personal-environment.ts';

describe('the environment that sessions inherit', () => {
  test('is the one from before npm start, without npm and the tools of a checkout', () => {
    const started = {
      HOME: '/home/user',
      PATH: '/srv/cbos/node_modules/.bin:/srv/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/usr/local/bin:/usr/bin',
      npm_lifecycle_event: 'start',
      npm_config_cache: '/home/user/.npm',
      INIT_CWD: '/srv/cbos',
      NODE: '/usr/bin/node',
      COLOR: '1',
    };
    expect(personalEnvironment(started)).toEqual({ HOME: '/home/user', PATH: '/usr/local/bin:/usr/bin' });
  });

  test('is unchanged if npm did not start it', () => {
    const environment = { PATH: '/home/user/node_modules/.bin:/usr/bin', NODE: 'mine', npm_config_registry: 'mine' };
    expect(personalEnvironment(environment)).toEqual(environment);
  });
});
