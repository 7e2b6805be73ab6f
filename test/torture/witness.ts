import { normalisePrompt } from '../../src/core/delivery/box.ts';
import { type MessagesRequest, promptOf } from '../../src/demo/messages-api/request.ts';
import type { TimedApiEvent } from '../harness/claude.ts';
import { MARK } from './plays.ts';

/** The requests that the stand-in for the model received. Only they prove what arrived. */
export interface Witness {
  see(event: Extract<TimedApiEvent, { kind: 'request' }>): void;
  /** announces a text that may arrive from now on */
  announce(mark: string, text: string): void;
  /** the marks in the order in which a session first received them */
  arrived(session: string): readonly string[];
  /** every tool call of the model, with what Claude Code reported to the model about the user's decision */
  calls(): ToolCall[];
  faults(): readonly string[];
}

export interface ToolCall {
  session: string;
  name: string;
  input: unknown;
  /** null until Claude Code has reported it */
  result: string | null;
  /** the decision was made between these times, in Unix milliseconds: the requests before the result and with it */
  seenAt: number;
  resultAt: number;
}

export function createWitness(): Witness {
  const texts = new Map<string, string>();
  const order = new Map<string, string[]>();
  const calls = new Map<string, ToolCall>();
  const faults = new Set<string>();
  /** the marks that the last request of a conversation no longer contained */
  const gone = new Map<string, Set<string>>();
  const present = new Map<string, Set<string>>();
  /** when the last request of a conversation came */
  const lastAt = new Map<string, number>();

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

  function seeTools(session: string, body: MessagesRequest, at: number): void {
    for (const { content } of body.messages) {
      if (typeof content === 'string') continue;
      for (const block of content) {
        const call = calls.get(String(block.tool_use_id ?? block.id));
        if (block.type === 'tool_result' && call?.result === null) {
          call.result = textOf(block.content);
          call.resultAt = at;
        }
        if (block.type !== 'tool_use' || call !== undefined) continue;
        const seenAt = lastAt.get(session) ?? at;
        const made = { session, name: String(block.name), input: block.input, result: null, seenAt, resultAt: at };
        calls.set(String(block.id), made);
      }
    }
    lastAt.set(session, at);
  }

  return {
    see: ({ scene, body, at }) => {
      if (scene === null) return;
      const prompts = body.messages.flatMap((message) => promptOf(message) ?? []);
      const sessions = new Set(prompts.flatMap((one) => [...one.matchAll(/‹([^.›]+)\./g)].map(([, slug]) => slug)));
      if (sessions.size > 1) faults.add(`in another session's conversation: ${[...sessions].join(', ')}`);
      const session = [...sessions][0] ?? '';
      seePrompts(session, prompts);
      seeTools(session, body, at);
    },
    announce: (mark, text) => void texts.set(mark, normalisePrompt(text)),
    arrived: (session) => order.get(session) ?? [],
    calls: () => [...calls.values()],
    faults: () => [...faults],
  };
}

/** Returns the text of a result, which is a text or blocks with texts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? null);
  return content.map((block: { text?: unknown }) => String(block.text ?? '')).join('\n');
}
