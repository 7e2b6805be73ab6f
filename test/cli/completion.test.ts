import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormField } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { askingForm, SOME_FORM } from '../harness/some-forms.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

let server: FacesUnderTest;
let where: CommandOptions;

beforeAll(async () => {
  server = await startFaces();
  where = { socket: `${server.world.cbosHome}/cbos.sock` };
  server.sessions.add('AUTH', WAITS_FOR_PERMISSION);
  server.sessions.add('DOCS');
  server.sessions.add('FORM', askingForm(SOME_FORM));
});
afterAll(() => server[Symbol.asyncDispose]());

const textField = (name: string): FormField => ({
  ...{ name, type: 'text', title: null, description: null, required: false },
});

async function suggestions(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(['complete', '--', ...words], where);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

describe('complete', () => {
  test('suggests commands, options, states, choices and existing sessions', async () => {
    expect(await suggestions('wa')).toEqual([
      'wake\twake parked sessions, with their conversations',
      'watch\tprint status changes as they happen, one per line',
      'wait\twait until sessions are in a state, for use in scripts',
      ':4',
    ]);
    expect(await suggestions('show', '')).toContain('DOCS\tnew');
    expect(await suggestions('wait', 'AUTH', 'D')).toEqual(['DOCS\tnew', ':4']);
    expect(await suggestions('rename', 'D')).toEqual(['DOCS\tnew', ':4']);
    expect(await suggestions('ls', '--state', 'wai')).toContain('waiting/permission\t');
    expect(await suggestions('wait', 'AUTH', '--for', 'rea')).toEqual(['ready\t', ':4']);
    expect(await suggestions('new', 'X', '--permission-mode', 'pl')).toEqual(['plan\t', ':4']);
    expect(await suggestions('send', '--qu')).toEqual(['--queue\thold it until the session is ready', ':4']);
    expect(await suggestions('service', 'un')).toEqual([expect.stringMatching(/^uninstall\t/), ':4']);
    expect(await suggestions('completion', 'f')).toEqual(['fish\t', ':4']);
  });

  test('`answer` suggests the sessions that ask, and then the possible answers', async () => {
    expect(await suggestions('answer', '')).toEqual([
      'AUTH\tasks permission Bash: npm test',
      'FORM\tasks MCP server deploy: Where should it go?',
      ':4',
    ]);
    expect(await suggestions('answer', 'AUTH', '')).toEqual([
      'yes\tYes',
      'always\tYes, and don’t ask again',
      'no\tNo',
      '1\tYes',
      '2\tYes, and don’t ask again',
      '3\tNo',
      ':4',
    ]);
    expect(await suggestions('answer', 'DOCS', '')).toEqual([':4']);
  });

  test('`answer --set` suggests the fields of the form, and their values', async () => {
    expect(await suggestions('answer', 'FORM', '--set', '')).toEqual([
      'environment=staging\tStaging',
      'environment=production\tProduction',
      'count=\t',
      'note=\t',
      ':4',
    ]);
    expect(await suggestions('answer', 'FORM', '--set', 'environment=p')).toEqual([
      'environment=production\tProduction',
      ':4',
    ]);
    expect(await suggestions('answer', 'AUTH', '--set', '')).toEqual([':4']);
    server.sessions.add(
      'OTHER',
      askingForm({ ...SOME_FORM, fields: [textField('$(date)'), textField('a;b'), textField('c')] }),
    );
    expect(await suggestions('answer', 'OTHER', '--set', '')).toEqual(['c=\t', ':4']);
    server.sessions.remove('OTHER');
  });

  test('leaves paths to the shell', async () => {
    expect(await suggestions('new', 'X', './sr')).toEqual([':0']);
  });

  test('suggests only commands without a server', async () => {
    const { code, stdout, stderr } = await runCommand(['complete', '--', 'show', ''], { socket: '/nowhere.sock' });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ':4\n', stderr: '' });
  });
});

describe('completion', () => {
  test('prints a script for bash, zsh and fish, and refuses other shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await runCommand(['completion', shell], where);
      expect({ shell, code }).toEqual({ shell, code: 0 });
      expect(stdout).toContain('cbos complete --');
    }
    expect((await runCommand(['completion', 'tcsh'], where)).code).toBe(2);
  });

  test('the bash script completes a value after =, where bash divides the word', async () => {
    const bin = join(server.world.dir, 'divided');
    mkdirSync(bin);
    const answer = (await suggestions('answer', 'FORM', '--set', 'environment=')).join('\n');
    writeFileSync(join(bin, 'cbos'), `#!/bin/sh\necho "$5" >>calls\ncat <<'END'\n${answer}\nEND\n`, { mode: 0o755 });
    writeFileSync(join(bin, 'script'), (await runCommand(['completion', 'bash'], where)).stdout);
    const line = `. ./script
for words in 'environment' 'environment =' 'environment = st'; do
  COMP_WORDS=(cbos answer --set $words); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _cbos; echo "\${COMPREPLY[@]}"
done; cat calls`;
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', line], {
      cwd: bin,
      env: { ...server.world.env, PATH: `${bin}:${server.world.env.PATH}` },
    });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'environment=staging environment=production',
      'staging production',
      'staging production',
      ...['environment', 'environment=', 'environment=st'],
    ]);
  });

  test('the bash script completes in a real bash, can be loaded twice, and runs nothing of the line', async () => {
    const bin = join(server.world.dir, 'bin');
    mkdirSync(bin);
    const answer = (await suggestions('show', '')).join('\n');
    writeFileSync(join(bin, 'cbos'), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${bin}/calls\ncat <<'END'\n${answer}\nEND\n`);
    chmodSync(join(bin, 'cbos'), 0o755);
    writeFileSync(join(bin, 'script'), (await runCommand(['completion', 'bash'], where)).stdout);
    const line = [
      'set -e; . ./script; . ./script',
      `COMP_WORDS=(cbos show '$(touch ran)' ''); COMP_CWORD=3`,
      '_cbos; printf "%s\\n" "${COMPREPLY[@]}"; cat calls; ls',
    ].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', line], {
      cwd: bin,
      env: { ...server.world.env, PATH: `${bin}:${server.world.env.PATH}` },
    });
    expect(stdout.split('\n')).toEqual([
      'AUTH',
      'DOCS',
      'FORM',
      'complete -- show $(touch ran) ',
      'calls',
      'cbos',
      'script',
      '',
    ]);
  });
});
