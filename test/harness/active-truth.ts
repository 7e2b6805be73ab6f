import type { Detail } from '../../src/protocol/index.ts';

/** One line of `SCENE.labels.jsonl`. `t` is in seconds. */
export interface Label {
  t: number;
  state?: string;
  why?: string;
  /**
   * the detail of a waiting session, or of an active one if no request shows what it is doing; absent in some
   * recordings
   */
  detail?: Detail;
  event?: string;
  tag?: string;
}

/** What a running turn is doing from a given moment on. Null if the labels do not show it. */
export interface Phase {
  fromMs: number;
  detail: Detail | null;
}

/**
 * If a recording was made before the stand-in reported each block, it does not show whether the first block was
 * reasoning. With these prompts, the first block was reasoning.
 */
const BEGINS_WITH_REASONING = new Set(['think']);

/** Labels of a turn that begins with its prompt. The request comes a moment later. */
const PROMPTED = /^(?:request|prompt) /;

/**
 * Returns what the running turns in a recording did, according to the stand-in's requests and answers. The model thinks
 * about a request until the answer in words begins, and a tool runs until the next request. What subagents do counts as
 * part of the turn's own call.
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
      // The label of a request follows its event, has the same time, and adds nothing.
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
