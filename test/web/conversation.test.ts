import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { StoredEvent } from '../../src/protocol/index.ts';
import { EMPTY_CONVERSATION, foldEvents, type Item } from '../../src/web/conversation/fold-events.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/json-events/2.1.329', import.meta.url));

function recorded(name: string): StoredEvent[] {
  const lines = readFileSync(`${FIXTURES}/${name}.jsonl`, 'utf8').trim().split('\n');
  return lines.map((line) => StoredEvent.parse(JSON.parse(line)));
}

const gist = (item: Item): string => {
  switch (item.kind) {
    case 'prompt':
    case 'text':
    case 'thinking':
    case 'note':
      return `${item.kind}: ${item.text.split('\n', 1)[0]}`;
    case 'tool':
      return `tool: ${item.name} → ${item.isError ? 'failed' : 'done'}: ${item.output}`;
    case 'end':
      return `end: ${item.error ?? 'fine'}`;
  }
};

test('a permission that was given and one that was refused', () => {
  const { items } = foldEvents(EMPTY_CONVERSATION, recorded('permission'));
  expect(items.map(gist)).toEqual([
    'prompt: scene:permission one',
    'text: I will write the marker file.',
    'tool: Bash → done: (Bash completed with no output)',
    'text: The marker file is there.',
    'end: fine',
    'prompt: scene:permission two',
    'text: I will write the marker file.',
    'tool: Bash → failed: no, leave it',
    'text: The marker file is there.',
    'end: fine',
  ]);
});

test('a slash command as it was typed, with its output, and without the summary for the model', () => {
  const { items } = foldEvents(EMPTY_CONVERSATION, recorded('compact'));
  expect(items.map(gist).filter((line) => !line.startsWith('end'))).toEqual([
    'prompt: scene:hello before',
    'text: Hello! I am ready when you are.',
    'note: The conversation was compacted',
    'note: Compacted',
    'prompt: /compact',
    'prompt: scene:hello after',
    'text: Hello! I am ready when you are.',
  ]);
});

test('the cost of each turn, from a total that grows', () => {
  const ends = foldEvents(EMPTY_CONVERSATION, recorded('permission')).items.filter((item) => item.kind === 'end');
  expect(ends.map(({ costUsd }) => costUsd?.toFixed(6))).toEqual(['0.021392', '0.022380']);
});

test.each(readdirSync(FIXTURES).map((name) => name.replace('.jsonl', '')))(
  '%s: in whatever pieces the events arrive, and however often, the conversation is the same',
  (name) => {
    const events = recorded(name);
    const whole = foldEvents(EMPTY_CONVERSATION, events);
    expect(whole.items.length).toBeGreaterThan(1);
    let pieces = EMPTY_CONVERSATION;
    for (const [index] of events.entries()) {
      // Each event comes again with the next one, as after a reconnect.
      pieces = foldEvents(pieces, events.slice(Math.max(0, index - 1), index + 1));
    }
    expect(pieces).toEqual(whole);
  },
);

test.each(readdirSync(FIXTURES).map((name) => name.replace('.jsonl', '')))(
  '%s: without the pieces in which blocks arrived, it ends the same',
  (name) => {
    const events = recorded(name);
    const finished = events.filter(({ event }) => event.type !== 'stream_event');
    const shown = (stored: StoredEvent[]) => foldEvents(EMPTY_CONVERSATION, stored).items.map(gist);
    // Only the pieces of an answer exist if its turn was cut off.
    if (name !== 'interrupt' && name !== 'killed') expect(shown(events)).toEqual(shown(finished));
    expect(foldEvents(EMPTY_CONVERSATION, events).items.some((item) => 'isWriting' in item && item.isWriting)).toBe(
      false,
    );
  },
);
