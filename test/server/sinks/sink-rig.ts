import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { type Answer, CatalogueError, type NewSink } from '../../../src/protocol/index.ts';
import type { Sinks } from '../../../src/server/sinks/sinks.ts';
import { attendInMemory } from '../../harness/attended.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { MemorySessions } from '../../harness/memory-sessions.ts';
import { memorySinks } from '../../harness/memory-sinks.ts';
import { asking, WORKING } from '../../harness/some-sessions.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

const LOG_NOTHING = (): void => undefined;

/** Sinks over sessions in memory, with a real outbox on disk, and a server that can be killed. */
export class SinkRig {
  readonly home = makeTemporaryFolder();
  readonly clock = new ManualClock(Date.now());
  readonly memory = new MemorySessions(this.home);
  readonly attended = attendInMemory(this.memory, { clock: this.clock });
  /** the answers that changed something, by session */
  readonly answered: { slug: string; request: Answer }[] = [];
  looked: number | null = null;
  readonly log: string[] = [];
  #database: Database = openDatabase(join(this.home, 'cbos.db'));
  sinks: Sinks;
  readonly #bus: string | undefined;

  /** @param options.bus the address of a desktop's bus */
  constructor({ bus }: { bus?: string } = {}) {
    this.#bus = bus;
    this.sinks = this.#serve();
    onTestFinished(() => {
      this.sinks.dispose();
      this.#database.close();
      this.attended.dispose();
      rmSync(this.home, { recursive: true, force: true });
    });
  }

  #serve(): Sinks {
    const write = (fields: object, message: string): void => void this.log.push(`${message} ${JSON.stringify(fields)}`);
    const sinks = memorySinks({
      home: this.home,
      sessions: { ...this.attended.sessions, answer: (slug, request) => this.#answer(slug, request) },
      clock: this.clock,
      idOf: (slug) => this.memory.idOf(slug),
      database: this.#database,
      ...(this.#bus === undefined ? {} : { bus: this.#bus }),
      lookedMsAgo: () => (this.looked === null ? null : this.clock.elapsed() - this.looked),
      log: { debug: LOG_NOTHING, info: LOG_NOTHING, warn: write, error: write },
    });
    sinks.start();
    return sinks;
  }

  /** Like the real sessions, this refuses an answer to a question that is not open. */
  async #answer(slug: string, request: Answer): Promise<void> {
    const { question } = this.memory.get(slug).status;
    if (question === null) throw new CatalogueError('no_question');
    if (question.id !== request.question_id) throw new CatalogueError('stale_question');
    this.answered.push({ slug, request });
    this.memory.change(slug, WORKING);
  }

  add(sink: NewSink): void {
    this.sinks.add({ after_s: 0, away_s: 0, ...sink });
  }

  /** Adds a session that asks. Each question has its own id. */
  ask(slug: string, id = `q-${slug}`, some: Parameters<typeof asking>[0] = {}): void {
    const session = asking({ id, ...some });
    if (this.memory.list().some((one) => one.slug === slug)) this.memory.change(slug, session);
    else this.memory.addWithoutRecording(slug, session);
  }

  work(slug: string): void {
    this.memory.change(slug, WORKING);
  }

  /**
   * Kills the server in the middle of whatever it does, and starts another one. The request that the killed server was
   * sending arrives before that, or never.
   */
  async kill(): Promise<void> {
    const isOver = this.sinks.settled();
    this.#die();
    await isOver;
    this.sinks = this.#serve();
  }

  /** The same, but the next server may overtake the request that the killed server was sending. */
  killOnTheWay(): void {
    this.#die();
    this.sinks = this.#serve();
  }

  #die(): void {
    this.sinks.dispose();
    // Work in progress can no longer write anything, as after SIGKILL.
    this.#database.close();
    this.#database = openDatabase(join(this.home, 'cbos.db'));
  }

  /** Lets time pass until nothing is left to send, or to close. */
  async untilDone(): Promise<void> {
    for (let round = 0; round < 10_000; round += 1) {
      await this.sinks.settled();
      if (this.unfinished() === 0) return;
      this.clock.advance(300_000);
    }
    throw new Error(`${this.unfinished()} messages are left: ${JSON.stringify(this.sinks.list())}`);
  }

  unfinished(): number {
    const sql = "SELECT count(*) AS count FROM outbox WHERE phase IN ('waiting', 'sending', 'closing')";
    return Number(this.#database.prepare(sql).get()?.count);
  }

  phases(): string[] {
    return this.#database
      .prepare('SELECT phase FROM outbox ORDER BY rowid')
      .all()
      .map(({ phase }) => String(phase));
  }
}
