import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery, Question, Session } from '../../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../../harness/claude.ts';
import { CHOICES, choosePlay, PLAYS, promptText } from '../../torture/plays.ts';
import { createRandom, type Random } from '../../torture/random.ts';
import { growthFaults, type Sample } from './growth.ts';

export interface SoakOptions {
  minutes: number;
  seed: number;
  /** how many sessions in a terminal, and how many JSON sessions, live through the whole run */
  screens: number;
  jsons: number;
  onSample: (sample: Sample) => void;
}

export interface SoakRun {
  samples: readonly Sample[];
  /** the number of actions, by kind */
  count: Readonly<Record<string, number>>;
  faults: readonly string[];
}

/** The number of samples, spread over the whole run. */
const SAMPLES = 60;
/** The pause between two turns of one session. */
const REST_MS = { low: 4_000, high: 20_000 };
/** The interval between two visits of a client, and between two sessions that are created and deleted. */
const VISIT_EVERY_MS = 20_000;
const CHURN_EVERY_MS = 60_000;
/** A conversation is cleared after this many turns. Otherwise each request would contain an hour of it. */
const TURNS_UNTIL_CLEAR = 15;
/** Far longer than any turn takes on a loaded machine. */
const TURN_TIMEOUT_MS = 120_000;
/** Short, so that JSON sessions sometimes end their process between two turns, as they do all day. */
const JSON_IDLE_SECONDS = '6';

/**
 * Plays turns of all kinds in real sessions for a time, with clients that look around and create and delete sessions.
 * Samples what the server uses during this time.
 */
export async function runSoak(options: SoakOptions): Promise<SoakRun> {
  await using world = await claudeWorld({ choosers: [choosePlay], pace: 0.5 });
  world.onApiEvent(() => {
    // Each request contains the whole conversation.
    world.apiEvents.length = 0;
  });
  const cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: JSON_IDLE_SECONDS });
  const soak = new Soak(world, cbos, options);
  const samples = await soak.run();
  return { samples, count: soak.count, faults: [...soak.faults, ...growthFaults(samples)] };
}

class Soak {
  readonly count: Record<string, number> = {};
  readonly faults: string[] = [];
  readonly #world: ClaudeWorld;
  readonly #cbos: Cbos;
  readonly #options: SoakOptions;
  readonly #began = performance.now();
  #turns = 0;

  constructor(world: ClaudeWorld, cbos: Cbos, options: SoakOptions) {
    this.#world = world;
    this.#cbos = cbos;
    this.#options = options;
  }

  async run(): Promise<Sample[]> {
    const { screens, jsons, seed } = this.#options;
    const random = (part: number): Random => createRandom(seed + part);
    const loops = [
      ...Array.from({ length: screens }, (_, index) => this.#playSession(`S${index}`, 'screen', random(index))),
      ...Array.from({ length: jsons }, (_, index) => this.#playSession(`J${index}`, 'json', random(100 + index))),
      this.#every(VISIT_EVERY_MS, () => this.#visit()),
      this.#every(CHURN_EVERY_MS, () => this.#churn(random(200))),
    ];
    const samples = this.#takeSamples();
    await Promise.all(loops);
    return samples;
  }

  get #minutes(): number {
    return (performance.now() - this.#began) / 60_000;
  }

  #isOver(): boolean {
    return this.#minutes >= this.#options.minutes;
  }

  async #takeSamples(): Promise<Sample[]> {
    const samples: Sample[] = [];
    while (!this.#isOver()) {
      await delay((this.#options.minutes * 60_000) / SAMPLES);
      const sample = this.#sample();
      samples.push(sample);
      this.#options.onSample(sample);
    }
    return samples;
  }

  #sample(): Sample {
    const { cbosHome, streamDir } = this.#world;
    const { pid } = this.#cbos;
    const memoryKb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    const logBytes = sizeOf(join(cbosHome, 'server.log'));
    return {
      at: Math.round(this.#minutes * 10) / 10,
      turns: this.#turns,
      memoryBytes: Number(memoryKb) * 1_024,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      processes: this.#world.processes().length,
      logBytes,
      homeBytes: sizeOf(cbosHome) - logBytes,
      recordingBytes: sizeOf(streamDir),
    };
  }

  /** Plays turn after turn in one session. Answers its questions, and interrupts some of its turns. */
  async #playSession(slug: string, type: 'screen' | 'json', random: Random): Promise<void> {
    await this.#create(slug, type);
    for (let turn = 1; !this.#isOver(); turn += 1) {
      await delay(random.int(REST_MS.low, REST_MS.high));
      if (type === 'screen' && turn % TURNS_UNTIL_CLEAR === 0) {
        await this.#send(slug, { text: '/clear', command: true }, 'clear');
        continue;
      }
      const play = random.pick(PLAYS);
      const text = promptText(random, `${slug}.soak.${turn}`, play);
      const how = random.pick<object>([{}, { queue: true }, { idempotency_key: `${slug}-${turn}` }]);
      await this.#send(slug, { text, ...how }, play);
      const isInterrupted = play === 'long' && random.int(0, 1) === 1;
      if (isInterrupted) await this.#interrupt(slug);
      await this.#untilDone(slug, random);
      this.#turns += 1;
    }
  }

  async #create(slug: string, type: 'screen' | 'json'): Promise<void> {
    const made = await this.#call('POST', '/sessions', { slug, type, path: this.#world.projectDir });
    if (made.error !== null) throw new Error(`${slug}: ${made.error.message}`);
    await this.#cbos.until(slug, ({ status }) => status.primary === 'idle', 'is ready', TURN_TIMEOUT_MS);
  }

  async #send(slug: string, body: object, kind: string): Promise<void> {
    this.#note(kind);
    const sent = await this.#call<Delivery>('POST', `/sessions/${slug}/send`, body);
    if (sent.error !== null) this.#note(`refused: ${sent.error.code}`);
    else if (sent.body.status !== 'delivered' && sent.body.status !== 'queued') this.#note(`was ${sent.body.status}`);
  }

  async #interrupt(slug: string): Promise<void> {
    const done = await this.#call('POST', `/sessions/${slug}/interrupt`);
    this.#note(done.error === null ? 'interrupt' : `interrupt: ${done.error.code}`);
  }

  /** Answers the questions of a session until it has been ready for some time and nothing is held for it. */
  async #untilDone(slug: string, random: Random): Promise<void> {
    const until = performance.now() + TURN_TIMEOUT_MS;
    for (let quiet = 0; quiet < 3; ) {
      if (performance.now() > until) {
        this.faults.push(`${slug} does not get ready: ${JSON.stringify((await this.#cbos.session(slug)).status)}`);
        return;
      }
      await delay(400);
      const { status } = await this.#cbos.session(slug);
      const { question } = status;
      if (question !== null && question.kind !== 'closing') await this.#answer(slug, question, random);
      const held = (await this.#call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body.some(
        (one) => one.status === 'queued',
      );
      const isReady = !held && (status.primary === 'idle' || question?.kind === 'closing');
      quiet = isReady ? quiet + 1 : 0;
    }
  }

  async #answer(slug: string, question: Question, random: Random): Promise<void> {
    const body = question.kind === 'question' ? { text: random.pick(CHOICES) } : { choice: random.pick(['yes', 'no']) };
    const given = await this.#call('POST', `/sessions/${slug}/answer`, { ...body, question_id: question.id });
    this.#note(given.error === null ? 'answer' : `answer: ${given.error.code}`);
  }

  /**
   * Visits like a person who looks at the list, a screen, a search, a stream for some seconds, and the command line.
   */
  async #visit(): Promise<void> {
    const sessions = (await this.#call<Session[]>('GET', '/sessions')).body;
    for (const path of ['/sessions/S0/buffer?lines=200', '/sessions/S0/explain', '/search?q=answer', '/history/days'])
      await this.#call('GET', path);
    const watcher = await this.#cbos.watch();
    watcher.send({ type: 'subscribe', sessions: sessions.map(({ slug }) => slug) });
    await delay(3_000);
    watcher.close();
    const listed = await this.#cbos.cli(['ls', '--json']);
    if (listed.code !== 0) this.faults.push(`cbos ls: ${listed.stderr}`);
    this.#note('visit');
  }

  /** Plays one session from its creation to its deletion. */
  async #churn(random: Random): Promise<void> {
    await this.#create('CHURN', 'screen');
    await this.#send('CHURN', { text: promptText(random, 'CHURN.soak.1', 'hello') }, 'hello');
    await this.#untilDone('CHURN', random);
    const deleted = await this.#call('DELETE', '/sessions/CHURN');
    if (deleted.error !== null) this.faults.push(`CHURN is not deleted: ${deleted.error.message}`);
    this.#turns += 1;
    this.#note('session');
  }

  async #every(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isOver()) {
      const began = performance.now();
      await work();
      await delay(Math.max(0, Math.min(everyMs - (performance.now() - began), this.#leftMs())));
    }
  }

  #leftMs(): number {
    return (this.#options.minutes - this.#minutes) * 60_000;
  }

  async #call<T>(method: string, path: string, body?: object) {
    const result = await this.#cbos.call<T>(method, path, body);
    if (result.status >= 500) this.faults.push(`${method} ${path}: ${result.status} ${JSON.stringify(result.error)}`);
    return result;
  }

  #note(kind: string): void {
    this.count[kind] = (this.count[kind] ?? 0) + 1;
  }
}

/**
 * Returns the bytes of a file, or of all files below a directory. A file that disappears in the meantime counts as 0.
 */
function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
