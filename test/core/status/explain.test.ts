import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DEFAULT_THRESHOLDS,
  derive,
  explain,
  NO_EVENTS,
  observeEvent,
  observePrompt,
} from '../../../src/core/status/index.ts';
import { Explanation } from '../../../src/protocol/index.ts';
import { evidenceOf, FRAMES, hook, hooksOf, registryOf, screenOf } from './evidence-maker.ts';

const interrupted = evidenceOf({
  hooks: hooksOf(hook(0, 'SessionStart', { source: 'startup' }), hook(10, 'UserPromptSubmit', { prompt: 'go on' })),
  screen: screenOf([20, FRAMES.thinking], [2_000, FRAMES.fresh]),
  registry: registryOf('idle', 2_100),
});

test('names each source’s own verdict, the one that won, and why', () => {
  const { verdicts, why, evidence } = explain(interrupted, 3_000, DEFAULT_THRESHOLDS);
  expect(verdicts.map(({ source, primary, won }) => [source, primary, won])).toEqual([
    ['hook', 'active', false],
    ['screen', 'idle', true],
    ['registry', 'idle', false],
  ]);
  expect(why).toBe('the prompt is visible and the registry confirms it: an interrupt fires no hook');
  expect(evidence.hooks?.prompt).toEqual({ at: new Date(10).toISOString(), text: 'go on' });
  expect(evidence.screen?.lines).toEqual(FRAMES.fresh.lines);
});

test('reports what the protocol promises, and always the verdict that the status follows', () => {
  const names = Object.keys(FRAMES) as (keyof typeof FRAMES)[];
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.constantFrom('busy', 'idle', 'waiting', null),
      fc.integer({ min: 0, max: 20_000 }),
      (name, word, now) => {
        const evidence = evidenceOf({
          hooks: interrupted.hooks,
          screen: screenOf([15, FRAMES[name]]),
          registry: registryOf(word, 12),
        });
        const explanation = explain(evidence, now, DEFAULT_THRESHOLDS);
        const { because, primary } = derive(evidence, now);
        expect(Explanation.omit({ status: true, claude_version: true }).parse(explanation)).toEqual(explanation);
        expect(explanation.why).not.toBe('');
        const winner = explanation.verdicts.find((one) => one.won);
        expect([winner?.source ?? 'none', winner?.primary ?? null]).toEqual([because.source, primary]);
      },
    ),
  );
});

test('a prompt and a message that CBOS has cut are marked', () => {
  const [long, short] = ['x'.repeat(4_001), 'x'.repeat(4_000)];
  const cutsOf = (text: string) => {
    const hooks = hooksOf(
      hook(10, 'UserPromptSubmit', { prompt: text }),
      hook(20, 'Stop', { last_assistant_message: text }),
    );
    const begun = observePrompt(NO_EVENTS, { id: 'p1', at: 10, text });
    const json = observeEvent(begun, { type: 'result', subtype: 'success', result: text }, 20);
    const { evidence } = explain({ ...evidenceOf({ hooks }), json }, 1_000_000, DEFAULT_THRESHOLDS);
    return [evidence.hooks, evidence.json].flatMap((of) => [of?.prompt?.cut, of?.turn_end?.cut]);
  };
  expect(cutsOf(long)).toEqual([true, true, true, true]);
  expect(cutsOf(short)).toEqual([undefined, undefined, undefined, undefined]);
});
