import { expect, test } from 'vitest';
import { forgetWait, type HookEvidence, NO_HOOKS, observeHook } from '../../../src/core/status/index.ts';
import { createFormKeeper, type KeptForms } from '../../../src/server/screen/form-waits.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

/** Returns a session with a waiting form, and the hooks that still wait. */
function session(...names: string[]) {
  const clock = new ManualClock();
  const payload = { mcp_server_name: 'deploy', message: 'Where?', mode: 'form', requested_schema: {} };
  let hooks: HookEvidence = names.reduce(
    (before, wait) => observeHook(before, { event: 'Elicitation', at: clock.now(), payload: { ...payload }, wait }),
    NO_HOOKS,
  );
  const waiting = new Set(names);
  const person = { attached: false };
  const ends: string[] = [];
  const hookListeners = new Set<() => void>();
  const actor = {
    slug: 'FORMS',
    deps: {
      clock,
      log: { warn: (_: unknown, text: string) => void ends.push(text) },
      waits: {
        asked: async (id: string) => (waiting.has(id) ? {} : null),
        leave: async (id: string) => waiting.delete(id),
      },
    },
    status: { evidence: () => ({ process: null, screen: null, hooks, registry: null }) },
    intake: {
      forgetWait: (id: string, to = 'gone' as const) => {
        ends.push(`${id} ${to}`);
        hooks = forgetWait(hooks, id, { to, at: clock.now() });
      },
    },
    view: () => person,
    onHook: (listener: () => void) => {
      hookListeners.add(listener);
      return () => hookListeners.delete(listener);
    },
  };
  createFormKeeper(actor as unknown as KeptForms);
  const look = async (): Promise<void> => {
    clock.advance(1_000);
    await new Promise(setImmediate);
  };
  return { person, waiting, ends, look, report: () => hookListeners.forEach((listener) => void listener()) };
}

test('a form whose hook still waits when a person attaches is in the terminal', async () => {
  const { person, ends, look } = session('w1');
  await look();
  expect(ends).toEqual([]);
  person.attached = true;
  await look();
  expect(ends).toEqual(['w1 terminal']);
});

test('a form whose hook has ended when a person attaches is not taken for one in the terminal', async () => {
  const { person, waiting, ends, look } = session('w1', 'w2');
  person.attached = true;
  waiting.delete('w2');
  await look();
  expect(ends).toEqual(['w2 gone', 'w1 terminal']);
});

test('a hook that CBOS ends is not taken for gone, although a report comes at that moment', async () => {
  const { person, ends, look, report } = session('w1');
  person.attached = true;
  report();
  report();
  await look();
  expect(ends).toEqual(['w1 terminal']);
});
