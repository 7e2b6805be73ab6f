import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMachine, type Machine } from './machine.ts';

/** Copies the lockfile to the place where npm keeps its own copy, as `npm ci` does last. */
const NPM = 'echo "$@" >>npm.log; mkdir -p node_modules; cp package-lock.json node_modules/.package-lock.json';
/** Replaces the bundler. The fingerprint is the one that the real build writes. */
const BUILD = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { fingerprint, rememberFingerprint } from './build/fingerprint.mjs';
mkdirSync('dist/web', { recursive: true });
for (const file of ['dist/cbos.js', 'dist/web/index.html']) writeFileSync(file, '');
for (const target of ['program', 'page']) rememberFingerprint(target, fingerprint(target));
`;

let machine: Machine;

beforeEach(() => {
  machine = createMachine();
  machine.program('npm', NPM);
  machine.write('src/main.ts', '');
  machine.write('scripts/build.mjs', BUILD);
});

afterEach(() => machine.dispose());

function setup(goal: string, ...nodeOptions: string[]) {
  return machine.node(...nodeOptions, 'scripts/setup.mjs', goal);
}

/** Returns options that make Node report other facts about itself. */
function pretend(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

describe('a machine that cannot run CBOS gets one line with the reason', () => {
  test('a system other than Linux', () => {
    const { code, stderr } = setup(
      'start',
      ...pretend("Object.defineProperty(process, 'platform', { value: 'darwin' })"),
    );
    expect(code).toBe(1);
    expect(stderr).toBe(
      'CBOS runs on Linux and in WSL, this is darwin: start it there, or in a Linux container or virtual machine\n',
    );
  });

  test.each(['18.19.0', '20.18.3'])('Node %s', (version) => {
    const { code, stderr } = setup(
      'start',
      ...pretend(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`),
    );
    expect(code).toBe(1);
    expect(stderr).toBe(
      `CBOS needs Node 20.19 or later, this is ${version}: install a newer one (https://nodejs.org/en/download)\n`,
    );
  });

  test('the oldest Node that is accepted is the oldest that package.json admits', () => {
    const manifest = JSON.parse(readFileSync(join(machine.dir, 'package.json'), 'utf8'));
    const source = readFileSync(join(machine.dir, 'scripts/setup.mjs'), 'utf8');
    const [, major, minor] = /OLDEST_NODE = \{ major: (\d+), minor: (\d+) \}/.exec(source) ?? [];
    expect(manifest.engines.node).toBe(`>=${major}.${minor}.0`);
  });
});

describe('missing system programs', () => {
  test('a person who may not install anything gets the command to type, and nothing else happens', () => {
    machine.program('apt-get', 'touch apt-was-called');
    machine.program('sudo', 'echo "sudo: a password is required" >&2; exit 1');
    const { code, stdout, stderr } = setup('start');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'CBOS needs GNU Screen and util-linux\'s script: type "sudo apt-get install -y --no-install-recommends screen bsdutils", then run this again\n',
    );
    expect(existsSync(join(machine.dir, 'apt-was-called'))).toBe(false);
    expect(existsSync(join(machine.dir, 'node_modules'))).toBe(false);
  });

  test.each([
    ['dnf', 'sudo dnf install -y screen /usr/bin/script'],
    ['pacman', 'sudo pacman -S --noconfirm --needed screen util-linux'],
    ['apk', 'sudo apk add screen cmd:script'],
  ])('%s is named if it is the package manager', (manager, typed) => {
    machine.program(manager, 'exit 1');
    expect(setup('start').stderr).toContain(`type "${typed}"`);
  });

  test('a machine without a known package manager gets the names of the programs', () => {
    expect(setup('start').stderr).toBe(
      "CBOS needs GNU Screen and util-linux's script: install GNU Screen and util-linux's script with your system's package manager, then run this again\n",
    );
  });

  test('programs that sudo may install without a password are installed, after fetching missing package lists', () => {
    machine.realProgram('script');
    machine.program('sudo', 'shift; exec "$@"');
    machine.program(
      'apt-get',
      `echo "$@" >>apt.log
case "$1" in
  update) touch lists ;;
  install) [ -e lists ] || { echo "E: Unable to locate package screen" >&2; exit 100; }; cp ../bin/sh ../bin/screen ;;
esac`,
    );
    const { code, stdout, stderr } = setup('start');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('installing GNU Screen: sudo apt-get install -y --no-install-recommends screen\n');
    expect(readFileSync(join(machine.dir, 'apt.log'), 'utf8').trim().split('\n')).toEqual([
      'install -y --no-install-recommends screen',
      'update',
      'install -y --no-install-recommends screen',
    ]);
  });

  test('a program that the Debian release lacks comes from its backports, and keeps no other program away', () => {
    machine.realProgram('screen', 'script', 'tmux');
    machine.program('chromium', 'exit 0');
    machine.program('sudo', 'shift; exec "$@"');
    machine.program(
      'apt-get',
      `for name; do :; done
case "$*" in
  indextargets*) echo 'http://mirror/debian/ sid-updates'; echo 'http://mirror/debian/ sid' ;;
  *SourceList=*install*glab) cat "\${2#*=}" >sources; cp ../bin/sh ../bin/glab ;;
  *install*glab) echo 'E: Unable to locate package glab' >&2; exit 100 ;;
  *install*openssh-server) cp ../bin/sh ../bin/sshd ;;
  *install*) cp ../bin/sh "../bin/$name" ;;
esac`,
    );
    const { code, stdout, stderr } = setup('test');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('left out');
    expect(readFileSync(join(machine.dir, 'sources'), 'utf8')).toBe('deb http://mirror/debian/ sid-backports main\n');
  });

  test.each([
    [
      'apt-get',
      'the tests will take longer: CBOS needs Chromium\'s headless shell: type "sudo apt-get install -y --no-install-recommends chromium-headless-shell", then run this again\n',
    ],
    ['dnf', ''],
  ])('%s: a program that only saves time is installed where it is packaged, and is not needed', (manager, printed) => {
    machine.realProgram('screen', 'script', 'tmux');
    for (const name of ['chromium', 'faketime', 'firefox', 'gh', 'glab', 'nats-server', 'sshd'])
      machine.program(name, 'exit 0');
    machine.program(manager, 'exit 1');
    const { code, stdout, stderr } = setup('test');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/^installing npm packages.*\n/m, '')).toBe(printed);
  });

  test('the tests also need tmux and Chromium, a start does not', () => {
    machine.realProgram('screen', 'script');
    machine.program('apt-get', 'exit 1');
    const { code, stderr } = setup('test');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'CBOS needs tmux and Chromium: type "sudo apt-get install -y --no-install-recommends tmux chromium", then run this again\n',
    );
    expect(setup('start')).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])(
    'Chromium is found, whatever the system calls it: %s',
    (name) => {
      machine.realProgram('screen', 'script', 'tmux');
      machine.program(name, 'exit 0');
      machine.program('apt-get', 'touch apt-was-called');
      expect(setup('test')).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(join(machine.dir, 'apt-was-called'))).toBe(false);
    },
  );

  test('a failed installation reports the reason and the command to type', () => {
    machine.realProgram('script');
    machine.program('sudo', 'shift; exec "$@"');
    machine.program('apt-get', 'echo "E: Unable to fetch some archives" >&2; exit 100');
    const { code, stderr } = setup('start');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'GNU Screen could not be installed (E: Unable to fetch some archives): type "sudo apt-get install -y --no-install-recommends screen", then run this again\n',
    );
  });
});

describe('if all programs are installed', () => {
  beforeEach(() => machine.realProgram('screen', 'script', 'tmux', 'chromium'));

  test('the first start installs and builds, and the second does nothing and prints nothing', () => {
    const first = setup('start');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe('installing npm packages: npm ci (once, about half a minute)\nbuilding\n');
    expect(setup('start')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(machine.dir, 'npm.log'), 'utf8').split('\n')).toHaveLength(2);
  });

  test('a changed source is built, and a changed lockfile is installed and built', () => {
    setup('start');
    machine.write('src/main.ts', 'export {};');
    expect(setup('start').stdout).toBe('building\n');
    const lock = JSON.parse(readFileSync(join(machine.dir, 'package-lock.json'), 'utf8'));
    lock.packages['node_modules/ws'].version = '99.0.0';
    machine.write('package-lock.json', JSON.stringify(lock));
    expect(setup('start').stdout).toContain('npm ci');
  });

  test('a changed page is built', () => {
    setup('start');
    machine.write('src/web/main.tsx', 'export {};');
    expect(setup('start').stdout).toBe('building\n');
  });

  test('an interrupted install is repeated', () => {
    machine.write('node_modules/ws/package.json', '{}');
    expect(setup('test').stdout).toContain('npm ci');
  });

  test('if npm fails its message is shown, with the cure', () => {
    machine.program('npm', 'echo "npm error network ENOTFOUND" >&2; exit 1');
    const { code, stderr } = setup('test');
    expect(code).toBe(1);
    expect(stderr).toBe('npm error network ENOTFOUND\nnpm ci failed, see above: with the network up, run this again\n');
  });
});

test('start and test do the set-up themselves, because npm skips pre-scripts if ignore-scripts is set, as it is here', () => {
  const { scripts } = JSON.parse(readFileSync(join(machine.dir, 'package.json'), 'utf8'));
  expect(scripts.start).toMatch(/^node scripts\/setup\.mjs start && /);
  expect(scripts.test).toMatch(/^node scripts\/setup\.mjs test && /);
  expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([]);
});
