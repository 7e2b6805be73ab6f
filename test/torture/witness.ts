import { normalisePrompt } from '../../src/core/delivery/decide.ts';
import { type MessagesRequest, promptOf } from '../../src/demo/messages-api/request.ts';
import type { TimedApiEvent } from '../harness/claude.ts';
import { MARK } from './plays.ts';

/** What the stand-in for the model saw: the only truth about what arrived. */
export interface Witness {
  see(event: TimedApiEvent): void;
  /** a text that may come from now on */
  announce(mark: string, text: string): void;
  /** marks in the order they came to a session for the first time */
  arrived(session: string): readonly string[];
  /** results of tool calls, by the call's id: what Claude Code told the model of the user's decision */
  results(): ReadonlyMap<string, string>;
  /** tool calls as the model made them, by id */
  calls(): ReadonlyMap<string, { name: string; input: string }>;
  faults(): readonly string[];
}

export function createWitness(): Witness {
  const texts = new Map<string, string>();
  const order = new Map<string, string[]>();
  const results = new Map<string, string>();
  const calls = new Map<string, { name: string; input: string }>();
  const faults = new Set<string>();
  /** marks that the last request of a conversation held no more */
  const gone = new Map<string, Set<string>>();
  const present = new Map<string, Set<string>>();

  function seePrompts(conversation: string, prompts: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const prompt of prompts) {
      const marks = [...prompt.matchAll(MARK)].map(([, mark = '']) => mark);
      for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
      let rest = normalisePrompt(prompt);
      for (const mark of marks) rest = rest.replace(texts.get(mark) ?? '\0', '');
      if (rest.trim() !== '')
        faults.add(`altered, or with something beside it: ${JSON.stringify(prompt.slice(0, 3_000))}`);
    }
    const before = present.get(conversation) ?? new Set();
    const lost = gone.get(conversation) ?? new Set();
    for (const [mark, count] of counts) {
      if (count > 1) faults.add(`doubled: ${mark}`);
      if (lost.has(mark)) faults.add(`came a second time: ${mark}`);
      const session = mark.split('.')[0] ?? '';
      const arrived = order.get(session) ?? [];
      if (!arrived.includes(mark)) arrived.push(mark);
      order.set(session, arrived);
    }
    for (const mark of before) if (!counts.has(mark)) lost.add(mark);
    gone.set(conversation, lost);
    present.set(conversation, new Set(counts.keys()));
  }

  function seeTools(body: MessagesRequest): void {
    for (const { content } of body.messages) {
      if (typeof content === 'string') continue;
      for (const block of content) {
        if (block.type === 'tool_result') results.set(String(block.tool_use_id), JSON.stringify(block.content));
        if (block.type !== 'tool_use') continue;
        calls.set(String(block.id), { name: String(block.name), input: JSON.stringify(block.input) });
      }
    }
  }

  return {
    see: (event) => {
      if (event.kind !== 'request' || event.scene === null) return;
      const { body } = event;
      const prompts = body.messages.flatMap((message) => promptOf(message) ?? []);
      const sessions = new Set(prompts.flatMap((one) => [...one.matchAll(/‹([^.›]+)\./g)].map(([, slug]) => slug)));
      if (sessions.size > 1) faults.add(`in another session's conversation: ${[...sessions].join(', ')}`);
      seePrompts([...sessions][0] ?? '', prompts);
      seeTools(body);
    },
    announce: (mark, text) => void texts.set(mark, normalisePrompt(text)),
    arrived: (session) => order.get(session) ?? [],
    results: () => results,
    calls: () => calls,
    faults: () => [...faults],
  };
}
