import { expect } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import type { Cbos } from '../harness/cbos.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Launches of real programs on a busy machine take this long at most. */
export const LONG_MS = 5 * 60_000;

/** Returns the number of sessions, which the variable `CROWD` sets for all suites. */
export const crowdSize = (usual: number): number => Number(process.env.CROWD ?? usual);

/** Returns the names of as many sessions: `S01`, `S02`, … */
export const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `S${String(index + 1).padStart(2, '0')}`);

export interface CrowdOptions {
  world: ClaudeWorld;
  cbos: Cbos;
  slugs: readonly string[];
  /** additional fields of each request to create a session */
  body?: (index: number) => object;
}

/** Launches the sessions, at most five at a time, and returns them when all are ready. */
export async function launchCrowd({ world, cbos, slugs, body = () => ({}) }: CrowdOptions): Promise<Session[]> {
  const waiting = [...slugs.entries()];
  const launchInTurn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, slug] = next;
      const request = { slug, type: 'screen', path: world.projectDir, ...body(index) };
      expect((await cbos.call('POST', '/sessions', request)).error).toBeNull();
      await cbos.untilStatus(slug, 'idle/ready', LONG_MS);
    }
  };
  await Promise.all(Array.from({ length: 5 }, launchInTurn));
  return Promise.all(slugs.map((slug) => cbos.session(slug)));
}

/** Sends each session a text of its own, and waits until all turns are over. */
export async function sendToAll(cbos: Cbos, slugs: readonly string[], textOf: (slug: string) => string): Promise<void> {
  const sent = await Promise.all(
    slugs.map((slug) => cbos.call('POST', `/sessions/${slug}/send`, { text: textOf(slug) })),
  );
  expect(sent.map(({ error }) => error)).toEqual(slugs.map(() => null));
  for (const slug of slugs) await cbos.untilStatus(slug, 'idle/waiting_input', LONG_MS);
}

/** Waits until the transcript of each session contains an answer. A session without one has nothing to resume. */
export async function untilSaved(cbos: Cbos, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    await waitFor(
      async () => JSON.stringify((await cbos.call('GET', `/sessions/${slug}/transcript`)).body).includes('"assistant"'),
      { describe: `${slug} is saved`, timeoutMs: LONG_MS },
    );
  }
}

/** Returns how often the stand-in received this prompt. */
export const timesReceived = (world: ClaudeWorld, prompt: string): number =>
  world.promptsReceived().filter((one) => one === prompt).length;

/** Returns the median and the largest of some durations, in milliseconds. */
export function describeTimes(durationsMs: readonly number[]): { median: number; largest: number } {
  const sorted = [...durationsMs].sort((one, other) => one - other);
  return { median: Math.round(sorted[sorted.length >> 1] ?? 0), largest: Math.round(sorted.at(-1) ?? 0) };
}
