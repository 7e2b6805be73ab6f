import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  claudeVersion,
  configDirectory,
  conversationFor,
  formatClaudeVersion,
  type RegistryRecord,
  readRegistry,
  registryDirectory,
  type SpooledHook,
  transcriptFile,
  watchHookSpool,
  watchRegistry,
} from '../../../src/platform/claude/index.ts';
import { type ClaudeWorld, claudeWorld, testedVersion } from '../../harness/claude.ts';
import { type ClaudeInScreen, startClaudeInScreen } from '../../harness/claude-in-screen.ts';
import { waitFor } from '../../harness/wait-for.ts';

const READY = /\? for shortcuts/;

/** Collects everything that the sessions of a world report by hooks and in the registry. */
function listen(world: ClaudeWorld) {
  const hooks: SpooledHook[] = [];
  const records: RegistryRecord[] = [];
  const gone: number[] = [];
  const faults: unknown[] = [];
  const onError = (error: unknown): void => void faults.push(error);
  const spool = watchHookSpool({
    dir: join(world.cbosHome, 'hooks'),
    accept: (hook) => void hooks.push(hook),
    onRejected: (file, reason) => faults.push(file, reason),
    onError,
    now: Date.now,
  });
  const registry = watchRegistry({
    dir: registryDirectory(world.env),
    onRecord: (record) => records.push(record),
    onGone: (pid) => gone.push(pid),
    onError,
  });
  world.onDispose(registry.stop);
  world.onDispose(() => spool.dispose());
  const names = (): string[] => hooks.map((hook) => hook.event);
  return {
    hooks,
    records,
    gone,
    faults,
    names,
    hook: (event: string) =>
      waitFor(() => hooks.find((hook) => hook.event === event), { describe: `hook ${event} came`, actual: names }),
    status: (status: string) =>
      waitFor(() => records.at(-1)?.status === status, {
        describe: `the registry reports ${status}`,
        actual: () => records.map((record) => record.status),
      }),
  };
}

// The three tests share one session, and each continues where the previous one left it.
describe('a session of the real Claude Code', () => {
  let world: ClaudeWorld;
  let heard: ReturnType<typeof listen>;
  let claude: ClaudeInScreen;
  beforeAll(async () => {
    world = await claudeWorld();
    heard = listen(world);
    claude = await startClaudeInScreen(world);
    await claude.waitForScreen(READY);
  });
  afterAll(() => world.dispose());

  test('writes its hooks into the spool, marked with the launch, throughout a turn', async () => {
    await claude.prompt('scene:hello');
    const stop = await heard.hook('Stop');
    expect(heard.names()).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
    expect(stop.payload.last_assistant_message).toBe('Hello! I am ready when you are.');
    for (const hook of heard.hooks) {
      expect(hook).toMatchObject({ launchId: claude.launchId, pid: claude.pid, sessionId: claude.sessionId });
    }
    const end = world.apiEvents.findLast((event) => event.kind === 'end');
    expect(stop.at - (end?.at ?? 0)).toBeLessThan(1_000);
    expect(heard.faults).toEqual([]);
  });

  test('asks for a permission by hook, in the registry and on the screen', async () => {
    await heard.status('idle');
    await claude.waitForScreen(READY);
    const from = heard.hooks.length;
    await claude.prompt('scene:permission');
    const request = await heard.hook('PermissionRequest');
    expect(request.payload).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'touch ../marker.txt' } });
    await heard.status('waiting');
    expect(heard.records.at(-1)?.waitingFor).toBe('permission prompt');
    await claude.answer(/Do you want to proceed/, '1');
    await heard.hook('PostToolUse');
    await waitFor(() => heard.names().slice(from).includes('Stop'), {
      describe: 'the turn ended',
      actual: heard.names,
    });
    expect(existsSync(join(world.dir, 'marker.txt'))).toBe(true);
    expect(heard.names().slice(from)).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'Stop',
    ]);
  });

  test('is in the registry with the conversation that we chose, until it ends', async () => {
    await heard.status('idle');
    const [record] = await readRegistry(registryDirectory(world.env));
    expect(record).toMatchObject({
      pid: claude.pid,
      sessionId: claude.sessionId,
      cwd: world.projectDir,
      version: testedVersion(),
    });
    process.kill(claude.pid, 'SIGKILL');
    // The file remains. Only the process shows that the session has ended.
    await waitFor(async () => (await readRegistry(registryDirectory(world.env))).length === 0, {
      describe: 'the record is no longer believed',
    });
    expect(readdirSync(registryDirectory(world.env))).toContain(`${claude.pid}.json`);
  });
});

describe('the real Claude Code', () => {
  test('reports its version, which is the pinned one', async () => {
    await using world = await claudeWorld();
    expect(formatClaudeVersion(await claudeVersion(world.claude, world.env))).toBe(testedVersion());
  });

  test('shows the trust dialog first in an unknown directory, and delays its hooks until then', async () => {
    await using world = await claudeWorld({ trusted: false });
    const heard = listen(world);
    const claude = await startClaudeInScreen(world);
    await claude.waitForScreen(/Is this a project you created or one you trust/);
    expect(heard.hooks).toEqual([]);
    expect(heard.records).toEqual([]);
    await claude.answer(/❯ No, exit/, '\x1b[B');
    await claude.waitForScreen(/❯ Yes, I trust this folder/);
    await claude.type('\r');
    await heard.hook('SessionStart');
    await claude.waitForScreen(READY);
  });

  test('continues a conversation, and starts a new one if it was never prompted', async () => {
    await using world = await claudeWorld();
    const heard = listen(world);
    const configDir = configDirectory(world.env);
    const place = { configDir, cwd: world.projectDir };
    const launched = async (sessionId: string) => {
      const own = { configDirs: [configDir], sessionId, reported: null, isBegun: false };
      const found = await conversationFor(own, null, randomUUID());
      if (found.kind === 'missing' || found.kind === 'fork') throw new Error(`unexpected: ${found.kind}`);
      return found;
    };

    const first = await startClaudeInScreen(world);
    await first.waitForScreen(READY);
    // Not ended by /exit, because 2.1.329 sometimes writes /exit to the transcript as a message and sometimes does not.
    process.kill(first.pid, 'SIGKILL');
    await waitFor(() => !existsSync(`/proc/${first.pid}`), { describe: 'Claude Code has ended' });
    const never = await launched(first.sessionId);
    expect(never.kind).toBe('new');

    const second = await startClaudeInScreen(world, { conversation: never });
    await second.waitForScreen(READY);
    await second.prompt('scene:query');
    await heard.hook('Stop');
    await claudeEnds(second);
    expect(existsSync(transcriptFile({ ...place, sessionId: second.sessionId }))).toBe(true);
    const again = await launched(second.sessionId);
    expect(again).toMatchObject({ kind: 'resume', sessionId: second.sessionId });

    const third = await startClaudeInScreen(world, { conversation: again });
    await third.waitForScreen(/Should I also add a test for it/);
    await third.waitForScreen(READY);
    await third.prompt('scene:hello');
    await waitFor(() => heard.names().filter((name) => name === 'Stop').length === 2, {
      describe: 'the second turn ended',
    });
    expect(heard.hooks.at(-1)).toMatchObject({ sessionId: second.sessionId, launchId: third.launchId });
    const last = world.apiEvents.findLast((event) => event.kind === 'request');
    expect(JSON.stringify(last)).toContain('scene:query');
  });
});

/** Waits for its prompt, types /exit, and waits until the process is gone. */
async function claudeEnds(claude: Awaited<ReturnType<typeof startClaudeInScreen>>): Promise<void> {
  await claude.waitForScreen(READY);
  await claude.prompt('/exit');
  await waitFor(() => !existsSync(`/proc/${claude.pid}`), { describe: 'Claude Code has ended' });
}
