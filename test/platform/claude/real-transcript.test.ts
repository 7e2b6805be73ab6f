import { expect, test } from 'vitest';
import { configDirectory, readTranscript, transcriptFile } from '../../../src/platform/claude/index.ts';
import type { StoredEvent } from '../../../src/protocol/index.ts';
import { EMPTY_CONVERSATION, foldEvents } from '../../../src/web/conversation/fold-events.ts';
import { type ClaudeWorld, claudeWorld } from '../../harness/claude.ts';
import { startClaudeInScreen } from '../../harness/claude-in-screen.ts';
import { waitFor } from '../../harness/wait-for.ts';

/** Reads a transcript, and finds the text of each event. */
function reader(world: ClaudeWorld, sessionId: string) {
  const path = transcriptFile({ configDir: configDirectory(world.env), cwd: world.projectDir, sessionId });
  const events = async (after: number | null = null): Promise<StoredEvent[]> =>
    (await readTranscript(path, after)).events;
  const until = (pattern: RegExp) =>
    waitFor(async () => pattern.test(JSON.stringify(await events())), {
      describe: `the transcript says ${pattern}`,
      timeoutMs: 20_000,
    });
  return { path, events, until };
}

/** Returns the conversation as a person reads it, one line per item. */
function lines(events: readonly StoredEvent[]): string[] {
  return foldEvents(EMPTY_CONVERSATION, events).items.map((item) => {
    switch (item.kind) {
      case 'tool':
        return `${item.name}${item.isError ? ' failed' : ''}: ${(item.output ?? 'nothing').split('\n')[0]}`;
      case 'end':
        return 'end';
      default:
        return `${item.kind}: ${item.text.split('\n')[0]}`;
    }
  });
}

test('the transcript of the real Claude Code is read as the conversation that took place', async () => {
  await using world = await claudeWorld();
  const claude = await startClaudeInScreen(world);
  const { path, events, until } = reader(world, claude.sessionId);
  const READY = /\? for shortcuts/;
  await claude.waitForScreen(READY);
  await claude.prompt('scene:read');
  await until(/small example project/);
  const half = (await readTranscript(path, null)).end;

  await claude.waitForScreen(READY);
  await claude.prompt('scene:ask');
  await claude.answer(/PostgreSQL/, '2');
  await until(/Good, I will use that/);

  await claude.waitForScreen(READY);
  await claude.prompt('/rename better');
  await until(/renamed to: better/);
  await claude.waitForScreen(READY);
  await claude.prompt('scene:long');
  await claude.waitForScreen(/This is line 3 of/);
  await claude.type('\x1b');
  await until(/Request interrupted by user/);

  const read = lines(await events());
  expect(read).toEqual([
    'prompt: scene:read',
    'text: Let me look.',
    'Read: 1\t# Example',
    'text: It is a small example project.',
    'prompt: scene:ask',
    expect.stringMatching(/^AskUserQuestion: .*"PostgreSQL"/),
    'text: Good, I will use that.',
    'prompt: /rename better',
    'note: Session renamed to: better',
    'prompt: scene:long',
    'text: 1. This is line 1 of a long answer.',
    'note: [Request interrupted by user]',
  ]);
  // The first part is not read again, and nothing between the two parts is lost.
  expect([...lines((await events()).filter(({ seq }) => seq <= half)), ...lines(await events(half))]).toEqual(read);
}, 90_000);
