import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from '../../scripts/run-command.mjs';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin';
const SSHD = findOnPath(['sshd'], SYSTEM_PATH);

/** Whether tests over ssh can run. Setup installs an ssh server if that needs no password. */
export const hasSshServer = SSHD !== null && findOnPath(['ssh', 'ssh-keygen'], SYSTEM_PATH) !== null;

/** A real sshd on loopback, which lets only the test's own user into a world. */
export interface SshServer {
  /** the host's name in the configuration of the client */
  name: string;
  /** for the setting `fleet.ssh`: ssh with a configuration of the test's own, never the user's */
  setting: string;
  /** the same, but with a key that has a passphrase, and a host key that a user has to accept */
  attended: { setting: string; passphrase: string };
  stop(): Promise<void>;
  start(): Promise<void>;
  /** writes a program into the world, and returns its path */
  program(name: string, script: string): string;
}

/** Returns the processes of ssh clients in a world. */
export function sshProcesses(world: World): ReturnType<World['processes']> {
  return world.processes().filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('ssh\0');
    } catch {
      return false; // it has just ended
    }
  });
}

/** A program on a machine that runs `cbos` there, but never says that the machine has joined. */
export const MUTE = 'cbos "$@" | grep --line-buffered -v \'"joined"\'';

/** @param name the host's name for ssh */
export async function startSshServer(world: World, name: string): Promise<SshServer> {
  if (SSHD === null) throw new Error('there is no sshd');
  const dir = join(world.dir, 'ssh');
  const bin = join(world.dir, 'bin');
  for (const path of [dir, bin]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const file = (of: string): string => join(dir, of);
  const passphrase = 'open sesame';
  for (const [key, secret] of [
    ['host', ''],
    ['user', ''],
    ['locked', passphrase],
  ] as const) {
    const made = await capture('ssh-keygen', ['-q', '-t', 'ed25519', '-N', secret, '-f', file(key)]);
    if (!made.ok) throw new Error(made.output);
  }
  // Debian's service makes this directory, which sshd requires if it runs as root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await world.freePort();
  const cbosPort = await world.freePort();
  // The home of a login comes from the list of users, so without this the user's own home would be used.
  const env = { ...world.env, CBOS_PORT: String(cbosPort) };
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${file('host')}`,
    `PidFile ${file('pid')}`,
    `AuthorizedKeysFile ${file('user.pub')} ${file('locked.pub')}`,
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PrintMotd no',
    `SetEnv ${Object.entries(env)
      .map(([key, value]) => `${key}="${value}"`)
      .join(' ')}`,
  ];
  writeFileSync(file('sshd_config'), `${config.join('\n')}\n`);
  const client = (key: string, checking: string): string =>
    [
      `Host ${name}`,
      '  HostName 127.0.0.1',
      `  Port ${port}`,
      `  IdentityFile ${file(key)}`,
      '  IdentitiesOnly yes',
      `  UserKnownHostsFile ${file(`known_hosts_${key}`)}`,
      '  GlobalKnownHostsFile /dev/null',
      `  StrictHostKeyChecking ${checking}`,
    ].join('\n');
  writeFileSync(file('config'), `${client('user', 'accept-new')}\n`);
  writeFileSync(file('config-attended'), `${client('locked', 'ask')}\n`);
  // A login shell sets PATH anew, as it does for a user.
  const profile = `PATH='${bin}':'${join(process.execPath, '..')}':"$PATH"\n`;
  for (const one of ['.profile', '.bash_profile', '.zprofile']) writeFileSync(join(world.home, one), profile);

  let running: ChildProcess | null = null;
  let said = '';
  const start = async (): Promise<void> => {
    if (running !== null) return;
    running = spawn(SSHD, ['-D', '-e', '-f', file('sshd_config')], {
      env: world.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await waitFor(() => said.includes(`Server listening on 127.0.0.1 port ${port}`), {
      describe: 'sshd listens',
      actual: () => said,
    });
    said = '';
  };
  const stop = async (): Promise<void> => {
    if (running === null) return;
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    running = null;
    await ended;
  };
  await start();
  world.onDispose(stop);
  return {
    name,
    setting: `ssh,-F,${file('config')}`,
    attended: { setting: `ssh,-F,${file('config-attended')}`, passphrase },
    start,
    stop,
    program: (of, script) => {
      const path = join(bin, of);
      writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return path;
    },
  };
}
