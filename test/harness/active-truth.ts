import type { Detail } from '../../src/protocol/index.ts';

/** One line of `SCENE.labels.jsonl`; `t` in seconds. */
export interface Label {
  t: number;
  state?: string;
  why?: string;
  /** of a waiting session, and of an active one whose work no request tells, where the recording says it */
  detail?: Detail;
  event?: string;
  tag?: string;
}

/** What a running turn does from a moment on; null where the labels do not say. */
export interface Phase {
  fromMs: number;
  detail: Detail | null;
}

/**
 * Recordings of before the stand-in told of each block do not say whether it was reasoning that began; with these
 * prompts it was.
 */
const BEGINS_WITH_REASONING = new Set(['think']);

/** Labels of a turn that begins with its prompt: the request comes a moment later. */
const PROMPTED = /^(?:request|prompt) /;

/**
 * What the running turns of a recording did, by what the stand-in was asked and sent: a request is thought about until
 * the answer in words begins, and a tool runs until the next request. What subagents do is the turn's own call.
 */
export function phasesOf(labels: readonly Label[]): Phase[] {
  const tellsBlocks = labels.some(({ event }) => event === 'text' || event === 'thinking');
  const phases: Phase[] = [];
  let hasCalled = false;
  for (const { t, state, why = '', detail: told, event, tag = '' } of labels) {
    const add = (detail: Detail | null): void => void phases.push({ fromMs: t * 1_000, detail });
    if (tag === 'subagent') continue;
    if (state !== undefined) {
      const begun = PROMPTED.test(why) ? 'thinking' : hasCalled ? 'using_tools' : null;
      // The request's own label comes right after it, and says no more than it.
      if (phases.at(-1)?.fromMs !== t * 1_000) add(state === 'active' ? (told ?? begun) : null);
      continue;
    }
    if (event === 'tool' || event === 'request') hasCalled = event === 'tool';
    if (event === 'request') add(tag === 'compaction' ? 'compacting' : 'thinking');
    else if (tag === 'compaction') continue;
    else if (event === 'first-byte') add(tellsBlocks || BEGINS_WITH_REASONING.has(tag) ? null : 'responding');
    else if (event === 'text') add('responding');
    else if (event === 'tool') add('using_tools');
    else if (event === 'thinking' || event === 'failed') add('thinking');
  }
  return phases;
}
