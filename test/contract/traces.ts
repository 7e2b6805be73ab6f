import { readFileSync, writeFileSync } from 'node:fs';
import { playJson } from './json-plays.ts';
import { GROUP_NAMES, playGroup } from './plays.ts';

/** All launches of the contract: those in a terminal, and the one without. */
export const LAUNCH_NAMES: readonly string[] = [...GROUP_NAMES, 'json'];

export type Agent = 'real' | 'stand-in';

/** Plays all scenes of a launch and returns the trace of each. */
export const play = (launch: string, agent: Agent): Promise<Record<string, unknown>> =>
  launch === 'json' ? playJson(agent) : playGroup(launch, agent);

const fileOf = (launch: string): URL => new URL(`traces/${launch}.json`, import.meta.url);

export const readTraces = (launch: string): Record<string, unknown> => JSON.parse(readFileSync(fileOf(launch), 'utf8'));

export const writeTraces = (launch: string, traces: Record<string, unknown>): void =>
  writeFileSync(fileOf(launch), `${JSON.stringify(traces, null, 1)}\n`);

/** How long all scenes of a launch may take on a loaded machine. */
export const LAUNCH_TIMEOUT_MS = 600_000;

/**
 * How many more attempts a launch has if its trace differs. On a busy machine, two things that happen at nearly the
 * same time may change places, also in the real Claude Code: a queued prompt and the mark of an interrupt, for example.
 */
export const ATTEMPTS_MORE = 2;
