import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceEnvironment, withheldVariables } from '../../../src/platform/systemd/environment.ts';
import { unitText } from '../../../src/platform/systemd/unit.ts';
import { createWorld } from '../../harness/world.ts';

test('the unit runs the server and leaves the sessions alive when it is stopped', () => {
  const text = unitText({
    node: '/usr/bin/node',
    program: '/home/me/cbos/dist/cbos.js',
    environment: { PATH: '/usr/bin:/bin', CBOS_PORT: '4000' },
  });
  expect(text).toBe(`# Written by "cbos service install"; "cbos service uninstall" removes it.
[Unit]
Description=CBOS: runs, watches and answers Claude Code sessions
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
ExecStart="/usr/bin/node" "/home/me/cbos/dist/cbos.js" "serve"
Environment="CBOS_PORT=4000"
Environment="PATH=/usr/bin:/bin"
KillMode=process
OOMPolicy=continue
TasksMax=infinity
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
`);
});

test('text that systemd would expand is escaped', () => {
  const text = unitText({
    node: '/n',
    program: '/home/me/100%/$HOME/a "b"/cbos.js',
    environment: { CBOS_HOME: 'C:\\x %h $y\nz\rExecStart=/bin/evil' },
  });
  expect(text).toContain('ExecStart="/n" "/home/me/100%%/$$HOME/a \\"b\\"/cbos.js" "serve"\n');
  expect(text).toContain('Environment="CBOS_HOME=C:\\\\x %%h $y\\x0az\\x0dExecStart=/bin/evil"\n');
});

test('the service gets what it needs, and no secrets', () => {
  const environment = {
    PATH: '/bin',
    LANG: 'C.UTF-8',
    CBOS_HOME: '/srv/cbos',
    CBOS_HOST: '',
    CBOS_TOKEN: 'a-secret-of-some-length',
    SCREENDIR: '/run/s',
    ANTHROPIC_API_KEY: 'sk-1',
    EDITOR: 'vi',
  };
  expect(serviceEnvironment(environment)).toEqual({
    PATH: '/bin',
    LANG: 'C.UTF-8',
    CBOS_HOME: '/srv/cbos',
    SCREENDIR: '/run/s',
  });
  expect(withheldVariables(environment)).toEqual(['CBOS_TOKEN', 'ANTHROPIC_API_KEY']);
});

const hasVerifier = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasVerifier)('systemd finds no fault with the unit', async () => {
  await using world = createWorld();
  const file = join(world.dir, 'cbos.service');
  writeFileSync(
    file,
    unitText({ node: process.execPath, program: '/x 100%.js', environment: serviceEnvironment(world.env) }),
  );
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', file], {
    env: { ...world.env, XDG_RUNTIME_DIR: world.dir },
    encoding: 'utf8',
  });
  expect({
    status,
    complaints: `${stdout}${stderr}`.split('\n').filter((line) => line.includes('cbos.service')),
  }).toEqual({
    status: 0,
    complaints: [],
  });
});
