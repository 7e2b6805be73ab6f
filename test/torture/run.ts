import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf } from '../../src/core/delivery/record.ts';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { waitFor } from '../harness/wait-for.ts';
import { closeTranscript, type Ledger, newLedger, operationsOf, playClient } from './client.ts';
import { type Journal, readJournal, recordChanges } from './journal.ts';
import { keepEvidence } from './keep-evidence.ts';
import { choosePlay, MARK } from './plays.ts';
import { createRandom, type Random } from './random.ts';
import { watchForStandstill } from './standstill.ts';
import { faultsOf, passedQueue, type Torture } from './verdict.ts';
import { createWitness, type Witness } from './witness.ts';

export interface TortureOptions {
  seed: number;
  operations: number;
  sessions: number;
  clients: number;
  /** how many times the server is killed during the run */
  kills: number;
}

/** Multiplies the delays of the scenes. */
const PACE = 0.5;
/** The time between the start of a server and its SIGKILL. */
const LIFE_MS = { low: 100, high: 5_000 };
/** How long one held text may take until it is sent and answered. */
const SETTLE_TIMEOUT_MS = 60_000;

export interface TortureRun extends Torture {
  faults: readonly string[];
  tookMs: number;
  /** the number of deliveries by their status at the end */
  statuses: Record<string, number>;
  /** the number of texts that passed others in Claude Code's own queue */
  passedQueue: number;
}

/** Runs random clients on real sessions, and compares the result with what the stand-in received. */
export async function runTorture(options: TortureOptions): Promise<TortureRun> {
  const witness = createWitness();
  const ledger = newLedger();
  await using world = await claudeWorld({ choosers: [choosePlay], pace: PACE });
  world.onApiEvent((event) => {
    if (event.kind === 'request') witness.see(event);
    // Each request contains its whole conversation, so 2,000 of them would fill the memory.
    world.apiEvents.length = 0;
  });
  const keep = (): string => {
    const arrived = Object.fromEntries(names(options.sessions).map((slug) => [slug, witness.arrived(slug)]));
    const seen = { calls: witness.calls(), arrived };
    return keepEvidence(world, `${options.seed}-${options.kills}-kills`, { ...ledger, ...seen });
  };
  try {
    const run = await play(world, { ...options, witness, ledger });
    return run.faults.length === 0 ? run : { ...run, faults: [...run.faults, `its evidence is in ${keep()}`] };
  } catch (error) {
    throw new Error(`${[...ledger.faults, String(error)].join('\n')}\nits evidence is in ${keep()}`, { cause: error });
  }
}

async function play(
  world: ClaudeWorld,
  { witness, ledger, ...options }: TortureOptions & Pick<Torture, 'witness' | 'ledger'>,
): Promise<TortureRun> {
  const began = performance.now();
  let cbos = await startCbos(world);
  const journal = join(world.cbosHome, 'cbos.db');
  recordChanges(journal);
  const slugs = names(options.sessions);
  const screens = new Map<string, string>();
  const atTerminal = (slug: string, keys: string): Promise<void> =>
    typeAtTerminal(world.env, screens.get(slug) ?? '', keys);
  for (const slug of slugs) {
    const created = await cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
    if (created.error !== null) throw new Error(created.error.message);
    screens.set(slug, created.body.screen_id ?? '');
    await cbos.untilStatus(slug, 'idle/ready');
  }
  let kills = 0;
  const isOver = (): boolean =>
    ledger.faults.length > 0 || (operationsOf(ledger) >= options.operations && kills >= options.kills);
  const clients = Array.from({ length: options.clients }, (_, index) =>
    playClient({
      name: `c${index}`,
      random: createRandom(options.seed + index + 1),
      ledger,
      witness,
      slugs,
      cbos: () => cbos,
      typeAtTerminal: atTerminal,
      isOver,
    }),
  );
  const killing = (async () => {
    const random = createRandom(options.seed);
    while (kills < options.kills && !isOver()) {
      await randomMoment(random);
      await cbos.stop('SIGKILL');
      kills += 1;
      ledger.killedAt.push(Date.now());
      cbos = await startCbos(world);
    }
  })();
  // With kills, each server lives for only a second or so, and a session may get no text for a minute.
  const watching = options.kills > 0 ? null : watchForStandstill({ cbos, slugs, ledger, isOver });
  await Promise.all([...clients, killing, watching]);
  const { finals, pauses } = await settle({ cbos, slugs, ledger, witness, atTerminal, journal });
  const statuses: Record<string, number> = {};
  for (const final of finals.values()) statuses[statusOf(final)] = (statuses[statusOf(final)] ?? 0) + 1;
  const granted = new Set(readdirSync(world.dir).filter((name) => name.startsWith('granted-')));
  const enqueued = enqueuedMarks(join(world.home, '.claude', 'projects'));
  const tookMs = performance.now() - began;
  const run = { ledger, witness, finals, pauses, granted, enqueued, kills, tookMs, statuses };
  return { ...run, faults: faultsOf(run), passedQueue: passedQueue(run) };
}

/** Returns the marks of the texts that Claude Code put into its own queue. */
function enqueuedMarks(projects: string): Set<string> {
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const lines = files.flatMap((name) => readFileSync(join(projects, name), 'utf8').split('\n'));
  const queued = lines.filter((line) => line.includes('"operation":"enqueue"'));
  return new Set(queued.flatMap((line) => [...line.matchAll(MARK)].map(([, mark = '']) => mark)));
}

interface Settling {
  cbos: Cbos;
  slugs: readonly string[];
  ledger: Ledger;
  witness: Witness;
  atTerminal: (slug: string, keys: string) => Promise<void>;
  /** the server's database */
  journal: string;
}

/**
 * Answers every open question and waits until every session is ready and nothing is held. Then sends a last prompt to
 * each session, because the request of that prompt contains the whole conversation.
 */
async function settle(settling: Settling): Promise<Journal> {
  await Promise.all(
    settling.slugs.map(async (slug) => {
      const { cbos, witness, ledger } = settling;
      await untilQuiet(settling, slug);
      const mark = `${slug}.last`;
      const text = `‹${mark}› play:hello`;
      witness.announce(mark, text);
      const last = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text });
      if (last.error !== null || last.body.status !== 'delivered') {
        ledger.faults.push(`${slug} takes no prompt at the end: ${JSON.stringify(last.error ?? last.body)}`);
        const { status, buffer_tail } = await cbos.session(slug);
        ledger.faults.push(`${slug}: ${JSON.stringify(status)}\n${buffer_tail}`);
      } else {
        await cbos.until(slug, () => witness.arrived(slug).includes(mark), 'gets its last prompt');
      }
    }),
  );
  return readJournal(settling.journal);
}

/**
 * Waits until a session is ready and nothing is held for it. The timeout applies to each held text, because on a loaded
 * machine a dozen of them, with one turn each, take minutes.
 */
async function untilQuiet(settling: Settling, slug: string): Promise<void> {
  let held = Number.POSITIVE_INFINITY;
  let quietSince: number | null = null;
  let last: unknown;
  const isQuiet = (): boolean => quietSince !== null && performance.now() - quietSince > QUIET_MS;
  // A killed server may have ended right after a client's interrupt, so the queue may still be paused.
  await settling.cbos.call('POST', `/sessions/${slug}/queue/resume`);
  while (!isQuiet()) {
    const before = held;
    await waitFor(
      async () => {
        const seen = await look(settling, slug);
        last = seen;
        held = seen.held;
        if (!seen.isReady || held > 0) quietSince = null;
        else quietSince ??= performance.now();
        return isQuiet() || held < before;
      },
      { describe: `${slug} is ready and nothing is held for it`, actual: () => last, timeoutMs: SETTLE_TIMEOUT_MS },
    );
  }
}

/** Reads the state of a session, and answers its question. */
async function look({ cbos, ledger, atTerminal }: Settling, slug: string) {
  const { status } = await cbos.session(slug);
  const deliveries = (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body;
  const journal = deliveries.slice(0, 12).map((one) => `${one.status} ${one.note} ${one.text.slice(0, 30)}`);
  const { buffer } = (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`)).body;
  await closeTranscript({ slug, cbos: () => cbos, typeAtTerminal: atTerminal });
  const { question } = status;
  if (question !== null && question.kind !== 'closing') {
    const choice = question.kind === 'question' ? 'Alpha' : 'no';
    const body = question.kind === 'question' ? { text: choice } : { choice };
    const from = Date.now();
    const result = await cbos.call('POST', `/sessions/${slug}/answer`, { ...body, question_id: question.id });
    const code = result.error?.code ?? 'answered';
    ledger.answers.push({ session: slug, question, choice, result: code, from, to: Date.now() });
  }
  const isReady = status.primary === 'idle' || question?.kind === 'closing';
  return { isReady, held: deliveries.filter(isUnderWay).length, status, buffer, journal };
}

/**
 * Reports whether a delivery is held, is being typed, or is looked for after a kill. The latter keeps its time, and
 * each new server looks for it once the session has been quiet for a while.
 */
const isUnderWay = ({ status, phase, updated_at }: Delivery): boolean =>
  status === 'queued' ||
  (status === 'sent' && (phase === 'looking' || Date.now() - Date.parse(updated_at) < CONFIRM_MS));

/** After this time nothing is expected to confirm a typed text. */
const CONFIRM_MS = 10_000;

/** How long a session must be quiet. A text in Claude Code's own queue begins a turn right after the last one. */
const QUIET_MS = 1_500;

const names = (count: number): [string, ...string[]] => [
  'S0',
  ...Array.from({ length: count - 1 }, (_, n) => `S${n + 1}`),
];

const randomMoment = (random: Random): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, random.int(LIFE_MS.low, LIFE_MS.high)));
