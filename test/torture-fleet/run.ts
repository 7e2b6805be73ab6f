import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MachineCallName, Session } from '../../src/protocol/index.ts';
import { type NatsNodes, startNatsNodes } from '../harness/nats-nodes.ts';
import { createWorld } from '../harness/world.ts';
import { createRandom, type Random } from '../torture/random.ts';
import { COUNT, joinAll, type Machine, SLUGS, startMachine, untilConnected, untilQuiet } from './machines.ts';
import {
  ageFault,
  type Choice,
  type FleetTorture,
  faultsOf,
  type GivenAnswer,
  type SentText,
  type Told,
  type Written,
} from './verdict.ts';

export interface FleetTortureOptions {
  seed: number;
  operations: number;
  /** 1 for the NATS server that the founder runs, more for a cluster that somebody else runs */
  nodes: number;
}

export interface FleetTortureRun extends FleetTorture {
  faults: readonly string[];
  /** how many rows were compared with what their owner had */
  looks: number;
  /** how often each kind of failure was caused, and how often each code was the answer */
  caused: Record<string, number>;
  codes: Record<string, number>;
  tookMs: number;
}

const NAMES = ['desk', 'laptop', 'tower'] as const;
/** How many requests are in progress at once. */
const AT_ONCE = 6;
/** How many operations begin between the recovery from a failure and the next failure. */
const FAIL_EVERY = 10;
/** How many failures come at once. */
const FAILURES = { one: 7, two: 3 } as const;
/** How long a machine does nothing after it was told that another one cannot be reached. */
const UNREACHABLE_PAUSE_MS = { low: 100, high: 1_000 };
/** How often a text whose outcome is unknown is repeated with its key. */
const REPEATS = 6;
/** The codes after which the request may or may not have been carried out. */
const UNKNOWN: ReadonlySet<string> = new Set(['machine_silent', 'not_confirmed', 'asker_killed']);

/** Has machines send texts and answers to each other while links, NATS servers and owners fail. */
export async function runFleetTorture(options: FleetTortureOptions): Promise<FleetTortureRun> {
  const random = createRandom(options.seed);
  const world = createWorld();
  const started: Machine[] = [];
  try {
    const nodes = options.nodes > 1 ? await startNatsNodes(world, options.nodes) : null;
    for (const name of NAMES) started.push(await startMachine(name));
    const machines = started as [Machine, ...Machine[]];
    await joinAll(machines, nodes, random);
    return await new Torture({ ...options, machines, natsNodes: nodes, random }).run();
  } finally {
    for (const { link, world: own } of started.toReversed()) {
      await link?.[Symbol.asyncDispose]();
      await own.dispose();
    }
    await world.dispose();
  }
}

interface Parts extends FleetTortureOptions {
  machines: readonly [Machine, ...Machine[]];
  natsNodes: NatsNodes | null;
  random: Random;
}

/** At least one of so many operations must be a text that was sent. */
export const LEAST_PART = 10;
/**
 * On a busy machine, the failures may meet nearly all operations: 2 of 40 were done at a load of 14. More operations
 * then follow after the failures, up to this multiple.
 */
const MOST_TIMES = 5;

class Torture {
  readonly #parts: Parts;
  readonly #sent: SentText[] = [];
  readonly #answers: GivenAnswer[] = [];
  readonly #lies: string[] = [];
  readonly #written: Map<string, Written[]>;
  readonly #caused: Record<string, number> = {};
  readonly #codes: Record<string, number> = {};
  /** the machines and NATS servers that are down or about to be */
  readonly #down = new Set<string>();
  /** the end of everything that was stopped and comes back */
  readonly #returns: Promise<void>[] = [];
  #restarts: Promise<void> = Promise.resolve();
  #begun = 0;
  #looks = 0;
  #kills = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#written = new Map(parts.machines.map(({ name }) => [name, [{ at: performance.now(), count: 0 }]]));
  }

  async run(): Promise<FleetTortureRun> {
    const { machines, operations } = this.#parts;
    const began = performance.now();
    const work = async (): Promise<void> => {
      while (this.#begun < operations || (!this.#hasEnough() && this.#begun < operations * MOST_TIMES)) {
        await this.#operate(this.#begun++);
        // Without a pause, all operations would hit the same failure.
        await delay(20);
      }
    };
    const working = Promise.all(Array.from({ length: AT_ONCE }, work));
    await Promise.all([working, this.#failAgainAndAgain()]);
    for (const asker of machines) for (const owner of this.#others(asker)) await this.#lookForLies(asker, owner);
    for (const machine of machines) {
      const settling = untilQuiet(machine, (answer) => void this.#answers.push(answer));
      await settling.catch((error: unknown) => this.#lies.push(String(error)));
    }
    const torture: FleetTorture = {
      sent: this.#sent,
      answers: this.#answers,
      lies: this.#lies,
      witness: machines.flatMap((machine) => machine.witness()),
      journal: new Map(machines.flatMap((machine) => [...machine.journal()])),
      kills: this.#kills,
    };
    const counts = { looks: this.#looks, caused: this.#caused, codes: this.#codes };
    return { ...torture, ...counts, faults: faultsOf(torture), tookMs: performance.now() - began };
  }

  /** Reports whether enough has been done to prove something. */
  #hasEnough(): boolean {
    return countOf(this.#sent, 'done') > this.#parts.operations / LEAST_PART && countOf(this.#answers, 'done') > 0;
  }

  #pick<T>(from: readonly T[]): T {
    return this.#parts.random.pick(from as readonly [T, ...T[]]);
  }

  #others(machine: Machine): Machine[] {
    return this.#parts.machines.filter((one) => one !== machine);
  }

  async #operate(index: number): Promise<void> {
    const { random, machines } = this.#parts;
    const asker = this.#pick(machines);
    const owner = this.#pick(this.#others(asker));
    const slug = this.#pick(SLUGS);
    await this.#countUp(owner);
    switch (random.weighted({ look: 20, send: 45, answer: 35 })) {
      case 'look':
        return this.#lookForLies(asker, owner);
      case 'send':
        return this.#send(asker, owner, { slug, text: `say ${owner.name}/${slug} ${index}` });
      case 'answer':
        return this.#answer(asker, owner, { slug, index });
    }
  }

  async #send(asker: Machine, owner: Machine, { slug, text }: { slug: string; text: string }): Promise<void> {
    const { random } = this.#parts;
    const hasKey = random.next() < 0.6;
    const body = {
      ...{ text, queue: random.next() < 0.5 },
      ...(hasKey ? { idempotency_key: text } : {}),
    };
    const sent: SentText = { text, session: `${owner.name}/${slug}`, told: 'unknown' };
    this.#sent.push(sent);
    sent.told = await this.#ask(asker, owner, { route: 'send', slug, body });
    for (let time = 0; hasKey && sent.told === 'unknown' && time < REPEATS; time++) {
      await delay(random.int(50, 1_500));
      const other = this.#pick(this.#others(owner));
      // A refusal of the repetition says nothing about the first request.
      if ((await this.#ask(other, owner, { route: 'send', slug, body })) === 'done') sent.told = 'done';
    }
  }

  /** Answers what a session asks, sometimes from two machines at once. A session that asks nothing gets a prompt. */
  async #answer(asker: Machine, owner: Machine, { slug, index }: { slug: string; index: number }): Promise<void> {
    const { random } = this.#parts;
    const call = { route: 'getSession', params: { slug } } as const;
    const shown = await asker.ask<Session>(owner.name, call).catch(() => null);
    if (shown === null || shown.error !== null) return;
    const { question } = shown.body.value.status;
    if (question === null) return this.#send(asker, owner, { slug, text: `ask ${owner.name}/${slug} ${index}` });
    const text = (question.tool?.input as { command?: string } | undefined)?.command ?? '';
    const askers = random.next() < 0.4 ? this.#others(owner) : [asker];
    await Promise.all(
      askers.map(async (one) => {
        const choice: Choice = random.next() < 0.5 ? 'yes' : 'no';
        const given: GivenAnswer = { text, session: `${owner.name}/${slug}`, choice, told: 'unknown' };
        this.#answers.push(given);
        const body = { choice, question_id: question.id };
        given.told = await this.#ask(one, owner, { route: 'answer', slug, body });
      }),
    );
  }

  async #ask(
    asker: Machine,
    owner: Machine,
    { route, slug, body }: { route: MachineCallName; slug: string; body: object },
  ): Promise<Told> {
    const code = await asker
      .ask(owner.name, { route, params: { slug }, body })
      .then(({ error }) => error?.code ?? 'done')
      .catch(() => 'asker_killed');
    this.#codes[code] = (this.#codes[code] ?? 0) + 1;
    if (code === 'machine_unreachable') {
      await delay(this.#parts.random.int(UNREACHABLE_PAUSE_MS.low, UNREACHABLE_PAUSE_MS.high));
    }
    if (code === 'internal') this.#lies.push(`${asker.name} was told "internal" by ${owner.name}`);
    return code === 'done' ? 'done' : UNKNOWN.has(code) ? 'unknown' : 'refused';
  }

  /** Changes a row at its owner. If the owner is down, nothing is known to have changed. */
  async #countUp({ name, call }: Machine): Promise<void> {
    const log = this.#written.get(name) ?? [];
    const count = (log.at(-1)?.count ?? 0) + 1;
    const remove = [1, 2, 3].flatMap((back) => (count > back ? [`n${count - back}`] : []));
    const body = { add: [`n${count}`], ...(remove.length === 0 ? {} : { remove }) };
    const result = await call('POST', `/sessions/${COUNT}/tags`, body).catch(() => null);
    if (result?.error === null) log.push({ at: performance.now(), count });
  }

  async #lookForLies(asker: Machine, owner: Machine): Promise<void> {
    const askedAt = performance.now();
    const seen = await asker.sees(owner.name).catch(() => null);
    const row = seen?.sessions.find(({ slug }) => slug === COUNT);
    if (seen?.age_ms == null || row === undefined) return;
    this.#looks += 1;
    const count = Math.max(0, ...row.tags.map((tag) => Number(tag.slice(1))));
    const fault = ageFault(this.#written.get(owner.name) ?? [], { count, ageMs: seen.age_ms, askedAt });
    if (fault !== null) this.#lies.push(`${asker.name} ${fault}, at ${owner.name}`);
  }

  /** Causes failures one after the other, so that most operations have a chance however slow this machine is. */
  async #failAgainAndAgain(): Promise<void> {
    const { machines, operations, random } = this.#parts;
    for (let at = FAIL_EVERY; at < operations; at = this.#begun + FAIL_EVERY) {
      while (this.#begun < at) await delay(20);
      this.#fail();
      if (random.weighted(FAILURES) === 'two') this.#fail();
      await this.#restarts;
      await Promise.all(this.#returns);
      for (const machine of machines) await untilConnected(machine);
    }
  }

  #fail(): void {
    const { machines, natsNodes, random } = this.#parts;
    const links = machines.flatMap(({ link }) => (link === null ? [] : [link]));
    const kinds = { cut: 2, cutAll: 1, hold: 2, shake: 4, nats: 3, kill: 5, stop: 1 } as const;
    const what = random.weighted<keyof typeof kinds>(kinds);
    this.#caused[what] = (this.#caused[what] ?? 0) + 1;
    if (what === 'cut') this.#pick(links).cut();
    else if (what === 'cutAll') for (const link of links) link.cut();
    else if (what === 'hold') this.#pick(links).hold(random.int(500, 4_000));
    else if (what === 'shake') for (const link of links) link.shake(3_000);
    else if (what !== 'nats') this.#stop(this.#pick(machines), what === 'kill' ? 'SIGKILL' : 'SIGTERM');
    else if (natsNodes === null) killNats(machines[0]);
    else this.#killNode(natsNodes);
  }

  /** A node comes back after some seconds. Two nodes that are down at once leave the cluster without a leader. */
  #killNode(nodes: NatsNodes): void {
    const name = this.#pick(['n1', 'n2', 'n3']);
    if (this.#down.has(name)) return;
    this.#down.add(name);
    const downMs = this.#parts.random.int(500, 5_000);
    const comeBack = async (): Promise<void> => {
      await nodes.kill(name);
      await delay(downMs);
      await nodes.start(name);
      this.#down.delete(name);
    };
    this.#returns.push(comeBack());
  }

  #stop(owner: Machine, signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#down.has(owner.name)) return;
    this.#down.add(owner.name);
    this.#restarts = this.#restarts.then(async () => {
      await owner.stop(signal);
      if (signal === 'SIGKILL') this.#kills += 1;
      await this.#lookForLies(this.#pick(this.#others(owner)), owner);
      await owner.startAgain();
      this.#down.delete(owner.name);
    });
  }
}

/** Kills the NATS server that a founder runs, which starts another one. */
function killNats({ world }: Machine): void {
  try {
    process.kill(Number(readFileSync(join(world.cbosHome, 'fleet/nats/nats.pid'), 'utf8')), 'SIGKILL');
  } catch {
    // The NATS server was just killed, and the founder has not restarted it yet.
  }
}

export const countOf = (all: readonly { told: Told }[], told: Told): number =>
  all.filter((one) => one.told === told).length;
