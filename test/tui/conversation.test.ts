import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/protocol/index.ts';
import { Conversation } from '../../src/tui/conversation.ts';
import { conversationRows } from '../../src/tui/view/conversation-rows.ts';
import { dressFor } from '../../src/tui/view/dress.ts';

const eventsOf = (name: string): StoredEvent[] =>
  readFileSync(`test/fixtures/json-events/2.1.329/${name}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEvent);

function conversationOf(events: readonly StoredEvent[]): Conversation {
  const conversation = new Conversation();
  for (const { seq, event } of events) conversation.add(seq, event);
  return conversation;
}

const viewport = { cols: 60, rows: 100, back: 0, isUnfolded: false, dress: (_: unknown, text: string) => text };

test('events of the real Claude Code become a conversation, with each tool folded to a line', () => {
  const { rows } = conversationRows(conversationOf(eventsOf('permission')), viewport);
  expect(rows.slice(0, 7)).toEqual([
    ' ❯ scene:permission one',
    '',
    ' ● I will write the marker file.',
    '',
    ' ⏵ Bash: touch ../marker.txt',
    '   ⎿ (Bash completed with no output)',
    '',
  ]);
});

test('an unfolded tool shows all its output', () => {
  const conversation = conversationOf(eventsOf('hello'));
  const folded = conversationRows(conversation, viewport).rows.join('\n');
  expect(folded).toContain('⎿ ok  format … 3 lines');
  const unfolded = conversationRows(conversation, { ...viewport, isUnfolded: true }).rows.join('\n');
  expect(unfolded).toContain('⎿ ok  format\n     ok  types\n     ok  tests');
});

test('text that is being written is shown before its block is complete, and once when it is', () => {
  const events = eventsOf('hello');
  const whole = events.findIndex(({ event }) => event.type === 'assistant');
  expect(conversationOf(events.slice(0, whole - 1)).partial).toEqual({
    kind: 'text',
    text: 'Hello! I am ready when y',
  });
  const conversation = conversationOf(events.slice(0, whole + 1));
  expect(conversation.partial).toBeNull();
  expect(conversation.pieces.filter(({ kind }) => kind === 'text')).toEqual([
    { kind: 'text', text: 'Hello! I am ready when you are.' },
  ]);
});

test('an event that comes twice counts once', () => {
  const events = eventsOf('permission');
  expect(conversationOf([...events, ...events]).pieces).toEqual(conversationOf(events).pieces);
});

test('an error is reported once, and an interrupt as an interrupt', () => {
  const errors = conversationOf(eventsOf('error')).pieces.filter(({ kind }) => kind === 'error');
  expect(errors).not.toEqual([]);
  expect(conversationOf(eventsOf('interrupt')).pieces).toContainEqual({
    kind: 'note',
    text: '[Request interrupted by user]',
  });
});

test('a slash command is shown as it was typed, with its output, but not the summary for the model', () => {
  const said = conversationOf(eventsOf('compact')).pieces.map(
    (piece) => 'text' in piece && `${piece.kind}: ${piece.text}`,
  );
  expect(said).toEqual([
    'prompt: scene:hello before',
    'text: Hello! I am ready when you are.',
    'note: the conversation was compacted',
    'note: Compacted',
    'prompt: /compact',
    'prompt: scene:hello after',
    'text: Hello! I am ready when you are.',
  ]);
});

test('a long conversation shows its end, and scrolls back', () => {
  const conversation = conversationOf(eventsOf('interrupt'));
  const all = conversationRows(conversation, viewport).rows;
  const end = conversationRows(conversation, { ...viewport, rows: 5 });
  expect(end.rows).toEqual(all.slice(-5));
  expect(conversationRows(conversation, { ...viewport, rows: 5, back: 2 }).rows).toEqual(all.slice(-7, -2));
});

test('no colour is written if colours are off', () => {
  const { rows } = conversationRows(conversationOf(eventsOf('error')), { ...viewport, dress: dressFor(false) });
  expect(rows.join('')).not.toMatch(/\u001b\[[34]/);
});
