import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildLaunch,
  type ClaudeVersion,
  canFork,
  claudeVersion,
  formatClaudeVersion,
  hookEventsOf,
  hookSettings,
  isAtLeast,
  parseClaudeVersion,
  resolveClaude,
  sessionEnvironment,
  writeHookSettings,
} from '../../../src/platform/claude/index.ts';
import { createWorld } from '../../harness/world.ts';

function version(text: string): ClaudeVersion {
  const parsed = parseClaudeVersion(text);
  if (parsed === null) throw new Error(text);
  return parsed;
}

describe("Claude Code's version", () => {
  test('is read from the output of --version', () => {
    expect(parseClaudeVersion('2.1.329 (Claude Code)\n')).toEqual({ major: 2, minor: 1, patch: 329 });
    expect(parseClaudeVersion('command not found')).toBeNull();
    expect(formatClaudeVersion(version('1.0.60'))).toBe('1.0.60');
  });

  test('is compared by numbers, not by letters', () => {
    expect(isAtLeast(version('2.1.50'), '2.1.150')).toBe(false);
    expect(isAtLeast(version('2.1.150'), '2.1.150')).toBe(true);
    expect(isAtLeast(version('2.0.0'), '1.0.128')).toBe(true);
  });

  test('is requested once per program, and again when the program changes', async () => {
    await using world = createWorld();
    const program = join(world.dir, 'claude');
    const write = (answer: string): void => {
      writeFileSync(program, `#!/bin/sh\necho asked >>"${world.dir}/asked"\necho "${answer}"\n`, { mode: 0o755 });
    };
    write('2.1.100 (Claude Code)');
    const first = await Promise.all([claudeVersion(program, world.env), claudeVersion(program, world.env)]);
    expect(first.map(formatClaudeVersion)).toEqual(['2.1.100', '2.1.100']);
    expect(readFileSync(join(world.dir, 'asked'), 'utf8')).toBe('asked\n');
    rmSync(program);
    write('2.1.1010 (Claude Code)');
    expect(formatClaudeVersion(await claudeVersion(program, world.env))).toBe('2.1.1010');
  });

  test('of another program is an error that names it', async () => {
    await using world = createWorld();
    const program = join(world.dir, 'claude');
    writeFileSync(program, '#!/bin/sh\necho "something else"\n', { mode: 0o755 });
    await expect(claudeVersion(program, world.env)).rejects.toMatchObject({ code: 'launch_failed' });
  });
});

describe("Claude Code's program", () => {
  test('is found in PATH or at its path, as a shell would', async () => {
    await using world = createWorld();
    const bin = world.project('bin');
    const other = world.project('other');
    writeFileSync(join(other, 'claude'), '', { mode: 0o644 });
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync(join(bin, 'claude'), join(bin, 'link'));
    mkdirSync(join(other, 'folder'));
    chmodSync(join(other, 'folder'), 0o755);
    expect(resolveClaude('claude', `${other}::${bin}`)).toBe(join(bin, 'claude'));
    expect(resolveClaude(join(bin, 'link'), '')).toBe(join(bin, 'link'));
    for (const missing of ['claude-2', join(other, 'claude'), join(other, 'folder')]) {
      expect(() => resolveClaude(missing, `${other}:${bin}`)).toThrow(
        expect.objectContaining({ code: 'claude_not_found' }),
      );
    }
  });
});

describe('the hooks of a launch', () => {
  test('are only those that the version supports', () => {
    expect(hookEventsOf(version('1.0.60'))).toEqual([]);
    expect(hookEventsOf(version('1.0.128'))).toHaveLength(9);
    expect(hookEventsOf(version('2.0.30'))).not.toContain('PermissionRequest');
    expect(hookEventsOf(version('2.0.77'))).toContain('PermissionRequest');
    expect(hookEventsOf(version('2.0.77'))).not.toContain('StopFailure');
    expect(hookEventsOf(version('2.1.329'))).toEqual(expect.arrayContaining(['StopFailure', 'PostToolUseFailure']));
  });

  test('are written to a file that only the user can read, with nothing but hooks in it', async () => {
    await using world = createWorld();
    const file = join(world.dir, 'launches', 'a.json');
    writeHookSettings(file, version('2.1.329'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(settings).toEqual(hookSettings(version('2.1.329')));
    expect(Object.keys(settings as object)).toEqual(['hooks']);
  });
});

describe('the command of a launch', () => {
  const base = {
    program: '/opt/claude',
    version: version('2.1.329'),
    settingsFile: '/x/settings.json',
    conversation: { kind: 'new', sessionId: 'id-1' },
  } as const;

  test('names settings, mode, model and conversation, followed by what the user added', () => {
    expect(
      buildLaunch({ ...base, permissionMode: 'plan', model: 'opus', args: ['--add-dir', '/y; rm -rf /'] }),
    ).toEqual({
      argv: [
        '/opt/claude',
        ...['--settings', '/x/settings.json'],
        ...['--permission-mode', 'plan'],
        ...['--model', 'opus'],
        ...['--session-id', 'id-1'],
        ...['--add-dir', '/y; rm -rf /'],
      ],
      sessionId: 'id-1',
      hooks: true,
    });
  });

  test('continues an earlier conversation', () => {
    const { argv, sessionId } = buildLaunch({ ...base, conversation: { kind: 'resume', sessionId: 'id-0' } });
    expect(argv.slice(-2)).toEqual(['--resume', 'id-0']);
    expect(sessionId).toBe('id-0');
  });

  test('copies a conversation from its file under its own id, which versions from 2.0.77 on accept', () => {
    const conversation = { kind: 'fork', sessionId: 'id-1', from: '/p/id-0.jsonl' } as const;
    const { argv, sessionId } = buildLaunch({ ...base, conversation });
    expect(argv.slice(-5)).toEqual(['--resume', '/p/id-0.jsonl', '--fork-session', '--session-id', 'id-1']);
    expect(sessionId).toBe('id-1');
    expect(['2.0.76', '2.0.77', '2.1.330', null].map(canFork)).toEqual([false, true, true, true]);
  });

  test("leaves the conversation to the user's own arguments if they choose one", () => {
    for (const args of [['--continue'], ['-c'], ['--resume=abc'], ['-r', 'abc'], ['--session-id', 'abc']]) {
      expect(buildLaunch({ ...base, args })).toMatchObject({
        argv: expect.not.arrayContaining(['id-1']),
        sessionId: null,
      });
    }
  });

  test('has no settings if the version would exit because of them', () => {
    const { argv, hooks } = buildLaunch({ ...base, version: version('1.0.60') });
    expect(argv).toEqual(['/opt/claude']);
    expect(hooks).toBe(false);
  });
});

describe('the environment of a session', () => {
  const options = { launchId: 'launch-1', spool: '/x/hooks', alternateScreen: false };

  test("is the server's, without anything of CBOS, another terminal or another Claude Code", () => {
    const environment = sessionEnvironment(
      {
        HOME: '/home/user',
        ANTHROPIC_API_KEY: 'the-users-own',
        EMPTY: undefined,
        ...Object.fromEntries(
          [
            'CBOS_TOKEN',
            'CBOS_HOME',
            'STY',
            'WINDOW',
            'TMUX',
            'TMUX_PANE',
            'CLAUDECODE',
            'CLAUDE_CODE_CHILD_SESSION',
            'CLAUDE_CODE_SIMPLE',
          ].map((name) => [name, 'x']),
        ),
      },
      options,
    );
    expect(environment).toEqual({
      HOME: '/home/user',
      ANTHROPIC_API_KEY: 'the-users-own',
      CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '1',
      CBOS_SPOOL: '/x/hooks',
      CBOS_SESSION: 'launch-1',
    });
  });

  test('accepts what the user adds, except for what connects it to CBOS', () => {
    const environment = sessionEnvironment(
      { A: '1' },
      { ...options, alternateScreen: true, extra: { A: '2', B: 'x=y\n' } },
    );
    expect(environment).toMatchObject({ A: '2', B: 'x=y\n' });
    expect(environment).not.toHaveProperty('CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN');
    for (const extra of [{ 'A B': '1' }, { '': '1' }, { '1A': '1' }, { A: 'x\0y' }, { CBOS_SPOOL: '/y' }]) {
      expect(() => sessionEnvironment({}, { ...options, extra })).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
    }
  });
});
