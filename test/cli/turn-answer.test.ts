import { describe, expect, test } from 'vitest';
import { answerTo, newestAnswer } from '../../src/cli/turn-answer.ts';
import type { ClaudeEvent, StoredEvent } from '../../src/protocol/index.ts';

const PROMPTED = { text: 'tidy  up', createdAt: '2026-11-20T15:00:00.000Z' };
const AT = Date.parse(PROMPTED.createdAt) / 1_000;

const event = (content: unknown, more: Partial<ClaudeEvent> = {}): ClaudeEvent => ({
  ...{ type: 'user', parent_tool_use_id: null, message: { role: 'user', content } },
  ...more,
});
const says = (id: string, text: string, more: Partial<ClaudeEvent> = {}): ClaudeEvent =>
  event(null, { type: 'assistant', message: { id, content: [{ type: 'text', text }] }, ...more });
const calls = (id: string): ClaudeEvent =>
  event(null, { type: 'assistant', message: { id, content: [{ type: 'tool_use', name: 'Bash' }] } });
const result = event([{ type: 'tool_result', content: 'ok' }]);
const prompt = event('tidy up\n');

const stored = (...events: ClaudeEvent[]): StoredEvent[] =>
  events.map((one, index) => ({ seq: index, timestamp: AT + index, event: one }));

describe('the answer to a prompt in a transcript', () => {
  test('is the last message of its turn, with all its blocks', () => {
    const events = stored(prompt, says('1', 'I begin.'), calls('1'), result, says('2', 'Done.'), says('2', 'Really.'));
    expect(answerTo(events, PROMPTED)).toEqual({ text: 'Done.\nReally.', isFollowed: false });
  });

  test('is not that of the turn which the end of an agent begins', () => {
    const ended = event('<task-notification>\n<task-id>a1</task-id>');
    expect(answerTo(stored(prompt, says('1', 'Done.'), ended, says('2', 'It ended.')), PROMPTED)).toEqual({
      text: 'Done.',
      isFollowed: true,
    });
  });

  test('is not what an agent says, and continues after a hook has prolonged the turn', () => {
    const blocked = event('Stop hook feedback: not yet', { isSynthetic: true });
    const agents = says('2', 'from the agent', { parent_tool_use_id: 'subagent' });
    expect(answerTo(stored(prompt, says('1', 'Done.'), agents, blocked, says('3', 'Now.')), PROMPTED)).toEqual({
      text: 'Now.',
      isFollowed: false,
    });
  });

  test('is unknown if the transcript has only an earlier prompt with the same text', () => {
    const earlier = { ...PROMPTED, createdAt: '2026-11-20T16:00:00.000Z' };
    expect(answerTo(stored(prompt, says('1', 'Done.')), earlier)).toBeNull();
  });
});

test('the end of the newest answer is completed from the transcript, or marked as a part', () => {
  const events = stored(prompt, says('1', 'Done.'), calls('2'), result, says('3', 'All of it: the end.'));
  expect(newestAnswer(events, 'the end.')).toBe('All of it: the end.');
  expect(newestAnswer(events, 'Something else.')).toBe('Something else.');
  const end = 'x'.repeat(4_000);
  expect(newestAnswer(events, end)).toBe(`…${end}`);
});
