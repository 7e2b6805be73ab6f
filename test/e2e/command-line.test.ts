import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type CliResult, PROGRAM, runCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

describe('a day on the command line', () => {
  test('from up to down, with a real session in between', async () => {
    await using world = await claudeWorld({ agent: 'stand-in' });
    const env = { CBOS_PORT: String(await world.freePort()) };
    const cbos = (...args: string[]): Promise<CliResult> => runCbos(world, args, { env });
    const session = async (): Promise<Session> => JSON.parse((await cbos('show', 'DAY', '--json')).stdout) as Session;

    expect(await cbos('ls')).toMatchObject({ code: 5 });
    expect(await cbos('up')).toMatchObject({ code: 0 });
    expect(await cbos('up')).toMatchObject({ code: 0 });
    world.onDispose(async () => void (await cbos('down')));

    const watch = spawn(process.execPath, [PROGRAM, 'watch'], {
      env: { ...world.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let watched = '';
    watch.stdout.setEncoding('utf8').on('data', (text: string) => (watched += text));

    expect(await cbos('new', 'DAY', world.projectDir)).toMatchObject({ code: 0, stderr: '' });
    expect(await cbos('wait', 'DAY', '--for', 'ready', '--timeout', '20')).toMatchObject({ code: 0 });
    expect(await cbos('wait', 'DAY', '--for', 'stuck', '--timeout', '0.2')).toMatchObject({ code: 6 });

    const asked = await cbos('send', 'DAY', 'scene:permission', 'please', '--wait');
    expect(asked.code, asked.stderr).toBe(0);
    expect(asked.stdout).toContain('cbos answer DAY 1');
    const shown = await cbos('show', 'DAY');
    expect(shown.stdout).toMatch(/○ DAY {2}asks permission/);
    expect(shown.stdout).toContain('Bash');
    expect(await cbos('answer', 'DAY', 'yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await cbos('wait', 'DAY', '--for', 'idle/waiting_input', '--timeout', '20')).toMatchObject({ code: 0 });

    await cbos('send', 'DAY', 'scene:permission again', '--wait');
    expect(await cbos('answer', 'DAY', 'perhaps')).toMatchObject({ code: 4 });
    expect(await cbos('answer', 'DAY', 'no')).toMatchObject({ code: 0, stderr: '' });
    expect(await cbos('wait', 'DAY', '--for', 'ready', '--timeout', '20')).toMatchObject({ code: 0 });
    expect(await cbos('answer', 'DAY', 'yes')).toMatchObject({ code: 4 });

    await cbos('send', 'DAY', 'scene:ask please', '--wait');
    expect(await cbos('answer', 'DAY', 'PostgreSQL')).toMatchObject({ code: 0, stderr: '' });
    expect(await cbos('wait', 'DAY', '--for', 'ready', '--timeout', '20')).toMatchObject({ code: 0 });
    expect(JSON.stringify(world.apiEvents)).toContain('PostgreSQL');

    expect(await cbos('send', 'DAY', 'scene:hello', '--wait')).toMatchObject({
      code: 0,
      stdout: 'Hello! I am ready when you are.\n',
    });

    await cbos('send', 'DAY', 'scene:long please');
    expect(await cbos('wait', 'DAY', '--for', 'active/responding', '--timeout', '20')).toMatchObject({ code: 0 });
    expect(await cbos('interrupt', 'DAY')).toMatchObject({ code: 0, stderr: '' });
    expect((await session()).status.primary).toBe('idle');
    expect(await cbos('interrupt', 'DAY')).toMatchObject({ code: 4 });

    expect((await cbos('buffer', 'DAY', '--lines', '20')).stdout).toContain('❯');
    expect((await cbos('logs', 'DAY', '--raw')).stdout).toContain('Script started on');
    expect((await cbos('status', '--json')).stdout).toContain('"total": 1');
    await waitFor(() => watched.includes('asks permission'), {
      describe: 'watch has reported it',
      actual: () => watched,
    });
    watch.kill('SIGINT');

    expect(await cbos('down')).toMatchObject({ code: 0 });
    expect(await cbos('ls')).toMatchObject({ code: 5 });
    expect(await cbos('up')).toMatchObject({ code: 0 });
    expect((await session()).status.primary).toBe('idle');
    expect(await cbos('kill', 'DAY')).toMatchObject({ code: 0 });
    expect((await session()).state).toBe('dead');
    expect(await cbos('restart', 'DAY')).toMatchObject({ code: 0 });
    expect(await cbos('wait', 'DAY', '--for', 'ready', '--timeout', '20')).toMatchObject({ code: 0 });
    expect(await cbos('rm', 'DAY', '--yes')).toMatchObject({ code: 0 });
    expect(await cbos('show', 'DAY')).toMatchObject({ code: 3 });
    expect(await cbos('down')).toMatchObject({ code: 0 });
    expect(world.processes()).toEqual([]);
  }, 120_000);
});
