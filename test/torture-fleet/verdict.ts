import type { DeliveryStatus } from '../../src/protocol/index.ts';

/** The outcome of a request that the asker learned: done, certainly not done, or unknown. */
export type Told = 'done' | 'refused' | 'unknown';
export type Choice = 'yes' | 'no';

/** A text that was sent to a session on another machine. It is also the mark by which the session's agent names it. */
export interface SentText {
  text: string;
  /** `machine/SESSION` */
  session: string;
  told: Told;
}

export interface GivenAnswer {
  /** the text that made the session ask */
  text: string;
  session: string;
  choice: Choice;
  told: Told;
}

/** What a session's agent got, in order. */
export type Seen = { session: string; text: string } & ({ kind: 'prompt' } | { kind: 'answer'; choice: Choice });

/** Everything that a run did, and what became of it. */
export interface FleetTorture {
  sent: readonly SentText[];
  answers: readonly GivenAnswer[];
  /** rows that were older than their age said, and whatever else was wrong at once */
  lies: readonly string[];
  witness: readonly Seen[];
  /** what became of each text, according to the journal of its owner */
  journal: ReadonlyMap<string, DeliveryStatus>;
  /** how often an owner was killed */
  kills: number;
}

/** Returns everything that broke a promise; empty if nothing did. */
export function faultsOf(torture: FleetTorture): string[] {
  const { witness, journal, lies } = torture;
  const sent = new Map(torture.sent.map((one) => [one.text, one]));
  const prompts = groupedByText(witness.filter(({ kind }) => kind === 'prompt'));
  const given = groupedByText(torture.answers);
  const taken = groupedByText(witness.filter((one) => one.kind === 'answer'));
  const strays = witness.flatMap(({ kind, session, text }) => {
    const owner = sent.get(text)?.session;
    return owner === session ? [] : [`in the wrong session: ${kind} of "${text}" at ${session}, not at ${owner}`];
  });
  const unknown = torture.sent.filter(({ text }) => journal.get(text) === 'unknown').length;
  return [
    ...lies,
    ...strays,
    ...torture.sent.flatMap((one) => textFault(one, prompts.get(one.text)?.length ?? 0, journal.get(one.text))),
    ...[...new Set([...given.keys(), ...taken.keys()])].flatMap((text) =>
      answerFaults(text, given.get(text) ?? [], taken.get(text) ?? []),
    ),
    // A killed owner cannot know what became of the one text that it was handing over in each session.
    ...(unknown > SESSIONS_OF_AN_OWNER * torture.kills
      ? [`${unknown} texts are unknown after ${torture.kills} kills`]
      : []),
  ];
}

const SESSIONS_OF_AN_OWNER = 2;

function textFault({ text, told, session }: SentText, times: number, status: DeliveryStatus | undefined): string[] {
  const fault = (what: string): string[] => [
    `${what}: "${text}" for ${session} (told ${told}, journal ${status}, ${times} times)`,
  ];
  if (times > 1) return fault('doubled');
  if (told === 'refused') return times === 0 ? [] : fault('refused, and yet it arrived');
  if (status === 'unknown') return [];
  if (status === 'delivered') return times === 1 ? [] : fault('lost');
  if (status === 'failed') return times === 0 ? [] : fault('said to have failed, and yet it arrived');
  if (status !== undefined) return fault('still under way');
  return told === 'done' || times > 0 ? fault('not in the journal') : [];
}

function answerFaults(
  text: string,
  given: readonly GivenAnswer[],
  taken: readonly Extract<Seen, { kind: 'answer' }>[],
): string[] {
  const fault = (what: string): string =>
    `${what}: "${text}" (${JSON.stringify({ given: given.map(({ choice, told }) => `${choice} ${told}`), taken: taken.map(({ choice }) => choice) })})`;
  if (taken.length > 1) return [fault('answered twice')];
  const [only] = taken;
  const done = given.filter(({ told }) => told === 'done');
  if (done.length > 1) return [fault('two were told that their answer counts')];
  const [winner] = done;
  if (winner !== undefined && only === undefined) return [fault('an answer is lost')];
  if (winner !== undefined && winner.choice !== only?.choice)
    return [fault('another answer counts than the one that was accepted')];
  if (only === undefined || winner !== undefined) return [];
  const mayBe = given.some(({ choice, told }) => told === 'unknown' && choice === only.choice);
  return mayBe ? [] : [fault('answered by nobody')];
}

function groupedByText<T extends { text: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(one.text, [...(groups.get(one.text) ?? []), one]);
  return groups;
}

/** Reads what an agent wrote about a session. */
export function readWitness(session: string, lines: string): Seen[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ session, ...(JSON.parse(line) as Omit<Seen, 'session'>) }) as Seen);
}

/** A change of a row at its owner, and when the owner had certainly made it. */
export interface Written {
  at: number;
  count: number;
}

/** How far a machine's clock, which has steps of 10 ms, and this process's may differ. */
const TOLERANCE_MS = 100;

/** Returns what is wrong with a row that was shown with an age, or null. */
export function ageFault(
  written: readonly Written[],
  shown: { count: number; ageMs: number; askedAt: number },
): string | null {
  const { count, ageMs, askedAt } = shown;
  const since = askedAt - ageMs - TOLERANCE_MS;
  const then = written.findLast(({ at }) => at <= since)?.count ?? 0;
  return count < then ? `shows ${count}, ${Math.round(ageMs)} ms old, and then it was ${then} already` : null;
}
