import { expect, test } from 'vitest';
import { MessagesRequest } from '../../src/demo/messages-api/request.ts';
import type { TimedApiEvent } from '../harness/claude.ts';
import { type TimedLabel, Truth, type TruthOptions } from './truth.ts';

const OPTIONS: TruthOptions = { asks: { Bash: 'permission' }, helpers: /part/, endsWithQuestion: false, attempts: 2 };

let at = 0;
const request = (number: number, prompt: string, scene: string | null = 'bash', step = 0): TimedApiEvent => ({
  kind: 'request',
  request: number,
  scene,
  step,
  prompt,
  body: MessagesRequest.parse({ messages: [] }),
  at: ++at,
});
const event = (kind: 'end' | 'first-byte' | 'aborted', number: number): TimedApiEvent => ({
  kind,
  request: number,
  at: ++at,
});
const tool = (number: number, name: string): TimedApiEvent => ({
  kind: 'tool',
  request: number,
  name,
  input: {},
  at: ++at,
});
const failed = (number: number): TimedApiEvent => ({ kind: 'failed', request: number, status: 500, at: ++at });

function statesOf(events: readonly TimedApiEvent[], options: Partial<TruthOptions> = {}): string[] {
  const truth = new Truth({ ...OPTIONS, ...options }, () => ++at);
  for (const one of events) truth.hear(one);
  const isState = (label: TimedLabel): label is TimedLabel & { state: string } => 'state' in label;
  return truth
    .labels()
    .filter(isState)
    .map((label) => label.state);
}

test('a turn is active from its request to the end of the answer that calls no tool', () => {
  expect(statesOf([request(1, 'go'), event('first-byte', 1), event('end', 1)])).toEqual(['active', 'idle']);
  expect(
    statesOf([request(1, 'go'), tool(1, 'Read'), event('end', 1), request(2, 'go', 'bash', 1), event('end', 2)]),
  ).toEqual(['active', 'idle']);
});

test('a turn begins when its prompt is sent, and a queued one when its request comes', () => {
  let now = 100;
  const truth = new Truth(OPTIONS, () => now);
  truth.sent();
  truth.hear({ ...request(1, 'go'), at: 150 });
  now = 160;
  truth.sent();
  truth.hear({ ...event('end', 1), at: 170 });
  truth.hear({ ...request(2, 'go on'), at: 180 });
  expect(truth.labels().flatMap((label) => ('state' in label ? [[label.at, label.state]] : []))).toEqual([
    [100, 'active'],
    [170, 'idle'],
    [180, 'active'],
  ]);
});

test('a tool that asks makes the session wait', () => {
  expect(statesOf([request(1, 'go'), tool(1, 'Bash'), event('end', 1)])).toEqual(['active', 'waiting']);
});

test('a subagent neither begins nor ends a turn, but it may ask', () => {
  expect(statesOf([request(1, 'part'), event('end', 1)])).toEqual([]);
  expect(statesOf([request(1, 'part'), tool(1, 'Bash'), event('end', 1)])).toEqual(['waiting']);
  const asked = [request(1, 'go'), request(2, 'part'), tool(2, 'Bash'), event('end', 2), event('end', 1)];
  expect(statesOf(asked), 'the turn may end in that time').toEqual(['active', 'waiting']);
});

test('titles, a warm-up and suggestions belong to no turn', () => {
  for (const one of [request(1, 'go', null), request(1, 'Warmup'), request(1, '[SUGGESTION MODE: what next?]')]) {
    expect(statesOf([one, event('end', 1)])).toEqual([]);
  }
});

test('a turn has failed with its last attempt', () => {
  expect(statesOf([request(1, 'go'), failed(1)])).toEqual(['active']);
  expect(statesOf([request(1, 'go'), failed(1), request(2, 'go'), failed(2)])).toEqual(['active', 'error']);
});

test('a turn that ends with a question may be called waiting or idle', () => {
  expect(statesOf([request(1, 'go'), event('end', 1)], { endsWithQuestion: true })).toEqual([
    'active',
    'waiting-or-idle',
  ]);
});
