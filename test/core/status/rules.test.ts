import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createTimeline,
  DEFAULT_THRESHOLDS,
  HOOK_RULES,
  type HookEvidence,
  JSON_RULES,
  NO_HOOKS,
  observeHook,
  PROCESS_RULES,
  type ProcessEvidence,
  REGISTRY_RULES,
  type RegistryEvidence,
  type RuleFacts,
  readByRules,
  refusePrompt,
  SCREEN_RULES,
  SCREEN_SIGNS,
  type ScreenRule,
  type ScreenSigns,
  screenObserver,
} from '../../../src/core/status/index.ts';
import { readEvidence } from '../../harness/evidence.ts';
import { type Replay, replay } from '../../harness/replay.ts';
import { hooksOf, registryOf } from './evidence-maker.ts';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));
const EVIDENCE = fileURLToPath(new URL('../../fixtures/evidence/2.1.329', import.meta.url));

const scenesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name.slice(0, -ending.length)));

/** Returns the list without one rule. */
const without = <R extends { id: string }>(rules: readonly R[], id: string): R[] =>
  rules.filter((one) => one.id !== id);

/** Returns the signs without the one with this id. */
const withoutSign = ({ prompts, errors, borders }: ScreenSigns, id: string): ScreenSigns => ({
  prompts: without(prompts, id),
  errors: without(errors, id),
  borders: without(borders, id),
});
const EVERY_SIGN: readonly RuleFacts[] = Object.values(SCREEN_SIGNS).flat();

describe('each rule over the screen is needed in each version that it names', () => {
  const recordings = new Map<string, { recording: Replay; words: string }[]>();
  beforeAll(async () => {
    for (const version of new Set([...SCREEN_RULES, ...EVERY_SIGN].flatMap((rule) => rule.versions))) {
      const played = await Promise.all(scenesIn(join(RECORDINGS, version), '.typescript').map(replay));
      recordings.set(
        version,
        played.map((recording) => ({ recording, words: wordsOf(recording, SCREEN_RULES, SCREEN_SIGNS) })),
      );
    }
  }, 120_000);

  const wordsOf = ({ frames, at }: Replay, rules: readonly ScreenRule[], signs: ScreenSigns): string => {
    const words: string[] = [];
    const timeline = createTimeline({
      thresholds: DEFAULT_THRESHOLDS,
      observe: screenObserver({ rules, signs }),
      onChange: ({ primary, detail }) => words.push(`${primary}/${detail}`),
    });
    for (const shown of frames) timeline.see(shown.frame, shown.at);
    timeline.runUntil(at + 2_000);
    return words.join(' ');
  };

  test.each(
    [...SCREEN_RULES, ...EVERY_SIGN].flatMap(({ id, versions }) =>
      versions.map((version): [string, string] => [id, version]),
    ),
  )('a recording is misread without %s in %s', (id, version) => {
    const fewer = without(SCREEN_RULES, id);
    const fewerSigns = withoutSign(SCREEN_SIGNS, id);
    const wrong = recordings
      .get(version)
      ?.find(({ recording, words }) => wordsOf(recording, fewer, fewerSigns) !== words);
    expect(wrong).toBeDefined();
  });
});

/**
 * Returns what each source reported in the recorded evidence, step by step. Evidence that no recording contains is
 * added by hand.
 */
function sourcesOf(file: string): { hooks: HookEvidence[]; registry: RegistryEvidence[]; process: ProcessEvidence[] } {
  let hooks: HookEvidence = NO_HOOKS;
  const said: ReturnType<typeof sourcesOf> = { hooks: [], registry: [], process: [] };
  for (const step of readEvidence(file)) {
    if (step.source === 'hook') {
      hooks = observeHook(hooks, { at: step.t, event: step.event, payload: step.payload });
      said.hooks.push(hooks);
    }
    if (step.source === 'registry') {
      const status = (['busy', 'idle', 'waiting', 'shell'] as const).find((word) => word === step.record?.status);
      if (status !== undefined) said.registry.push(registryOf(status, step.t));
    }
    if (step.source === 'process') {
      said.process.push({ alive: step.alive, startedAt: 0, endedAt: step.alive ? null : step.t });
    }
  }
  return said;
}

describe("each rule over Claude Code's own reports is needed", () => {
  const recorded = scenesIn(EVIDENCE, '.jsonl').map((base) => sourcesOf(`${base}.jsonl`));
  // The notification comes after a minute at the prompt, and the word "shell" while a background shell runs. Both were
  // seen live, but no recording contains them.
  const hooks = [
    ...recorded.flatMap((one) => one.hooks),
    hooksOf(
      { at: 0, event: 'UserPromptSubmit', payload: { prompt: 'p' } },
      { at: 60_000, event: 'Notification', payload: { notification_type: 'idle_prompt' } },
    ),
    // Only the transcript reports that a hook refused the prompt.
    refusePrompt(
      hooksOf({ at: 0, event: 'UserPromptSubmit', payload: { prompt: 'p' } }),
      new Map([['p', { at: 50, words: 'No.' }]]),
    ),
  ];
  const registry = [...recorded.flatMap((one) => one.registry), registryOf('shell', 9_000)];
  // No recording contains a lost socket or a stopped daemon. Both were seen live (Screen 4.9.0).
  const lives = { alive: true, startedAt: 0, endedAt: null };
  const process: ProcessEvidence[] = [
    { ...lives, alive: false, endedAt: 9_000, parkedAt: 9_000 },
    ...recorded.flatMap((one) => one.process),
    // Claude Code does not run yet, so there is nothing to record.
    { ...lives, settingUp: { command: 'npm ci', since: 9_000 } },
    { ...lives, absent: { pid: 7, comm: 'sh', since: 9_000 } },
    { ...lives, unreachable: { because: 'no_socket', since: 9_000 } },
    { ...lives, unreachable: { because: 'stopped', daemonPid: 7, since: 9_000 } },
  ];
  // The time since which a verdict holds matters too: if sources disagree, the newer one is believed.
  const word = (said: { primary: string | null; detail: string | null; since: number } | null): string =>
    `${said?.primary}/${said?.detail} since ${said?.since}`;

  test.each(HOOK_RULES.map((rule) => rule.id))('%s', (id) => {
    const decides = hooks.some(
      (one) => word(readByRules('hook', without(HOOK_RULES, id), one)) !== word(readByRules('hook', HOOK_RULES, one)),
    );
    expect(decides).toBe(true);
  });

  test.each(REGISTRY_RULES.map((rule) => rule.id))('%s', (id) => {
    const decides = registry.some((one) => {
      const view = { registry: one, startedAt: 0 };
      return (
        word(readByRules('registry', without(REGISTRY_RULES, id), view)) !==
        word(readByRules('registry', REGISTRY_RULES, view))
      );
    });
    expect(decides).toBe(true);
  });

  test.each(PROCESS_RULES.map((rule) => rule.id))('%s', (id) => {
    const decides = process.some(
      (one) =>
        word(readByRules('process', without(PROCESS_RULES, id), one)) !==
        word(readByRules('process', PROCESS_RULES, one)),
    );
    expect(decides).toBe(true);
  });
});

test('every rule has a unique name with its source, and names the versions on which it was seen', () => {
  const lists = {
    json: JSON_RULES,
    screen: [...SCREEN_RULES, ...EVERY_SIGN],
    hook: HOOK_RULES,
    registry: REGISTRY_RULES,
    process: PROCESS_RULES,
  };
  const all = Object.entries(lists).flatMap(([source, rules]) =>
    rules.map(({ id, versions }) => ({ source, id, versions })),
  );
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { source, id, versions } of all) {
    expect(id).toMatch(new RegExp(`^${source}\\.`));
    expect(versions, id).not.toEqual([]);
  }
});
