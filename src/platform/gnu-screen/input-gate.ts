import { CatalogueError } from '../../protocol/index.ts';
import { bytesWrittenBy } from '../process/proc-file.ts';
import { waitUntil } from '../process/wait-until.ts';

/**
 * Lets only one input at a time into a session, and only after the program's terminal has accepted the previous one.
 *
 * If a program reads slowly, Screen 4.9.0 buffers up to about 12 kB for it and keeps the rest of a paste for later. If
 * anything is typed during that time, the rest is discarded, and the window never accepts input again. Therefore,
 * nothing may be typed before the previous input has left Screen. Screen does not report when that happens. However,
 * the kernel counts what a process writes, and while no one is attached, Screen's daemon writes nothing but input to
 * the terminal.
 */
export class InputGate {
  private last: Promise<unknown> = Promise.resolve();
  private pending: Pending | null = null;

  /**
   * Grants turns in the order of the calls. Within a turn, several inputs may be typed, and no input from another
   * sender comes between them.
   * @throws CatalogueError screen_unresponsive if the program does not read its input, in which case nothing more is
   * typed
   */
  turn(work: (type: (input: GatedInput) => Promise<void>) => Promise<void>): Promise<void> {
    const turn = this.last.then(() => work((input) => this.type(input)));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async type(input: GatedInput): Promise<void> {
    await this.waitUntilTaken(input);
    const before = bytesWrittenBy(input.daemonPid);
    const now = performance.now();
    // This is set while input is being sent. It remains set if sending fails, because no one then knows how much was
    // typed.
    const pending: Pending = {
      writtenBytes: before === null ? null : before + input.sizeBytes,
      notBefore: before === null || input.attached ? now + input.sizeBytes / SLOW_BYTES_PER_MS : now,
      sizeBytes: input.sizeBytes,
    };
    this.pending = pending;
    const besides = await input.send().catch((cause: unknown) => {
      // Waiting for input that may never have been typed would block the session forever. Input of this size fits into
      // the buffer even if it was typed.
      if (input.sizeBytes <= BUFFERED_BYTES) this.pending = null;
      throw cause;
    });
    if (pending.writtenBytes !== null) pending.writtenBytes += besides;
    if (input.sizeBytes > BUFFERED_BYTES) await this.waitUntilTaken(input);
  }

  private async waitUntilTaken(input: Pick<GatedInput, 'daemonPid' | 'timeoutMs'>): Promise<void> {
    const { pending } = this;
    if (pending === null) return;
    const isTaken = async (): Promise<true | null> => {
      if (performance.now() < pending.notBefore) return null;
      if (pending.writtenBytes === null) return true;
      const written = bytesWrittenBy(input.daemonPid);
      return written === null || written >= pending.writtenBytes ? true : null;
    };
    const timeoutMs = input.timeoutMs + pending.sizeBytes / SLOW_BYTES_PER_MS;
    if ((await waitUntil(isTaken, { timeoutMs, everyMs: 5 })) === null) {
      throw new CatalogueError('screen_unresponsive', "The program in the session isn't reading its input", {
        hint: '`cbos attach SLUG` shows what the program is doing; text that is typed now would be lost',
      });
    }
    this.pending = null;
  }
}

export interface GatedInput {
  daemonPid: number;
  /** if true, the daemon's count includes what it draws for an attached user, so a certain time must also pass */
  attached: boolean;
  sizeBytes: number;
  /** how long to wait for the program to accept the previous input, and also this input if it is large */
  timeoutMs: number;
  /** types the input, and resolves to the number of additional bytes that the daemon wrote as an acknowledgement */
  send: () => Promise<number>;
}

interface Pending {
  /** the daemon's total count once the input has left the daemon, or null if the count cannot be read */
  writtenBytes: number | null;
  notBefore: number;
  sizeBytes: number;
}

/**
 * The size of Screen's buffer for a window's input (IOSIZE). Input that fits into it does not require waiting, because
 * the buffer keeps the order.
 */
const BUFFERED_BYTES = 4_096;
/** The lowest speed at which Claude Code 2.1.329 was seen to read a paste: 50 kB in 1.9 s. */
const SLOW_BYTES_PER_MS = 25;
