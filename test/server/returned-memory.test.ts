import { expect, test } from 'vitest';
import { collectGarbage, keepFreedMemorySmall, returnFreedMemory } from '../../src/platform/process/index.ts';
import { returnMemoryWhenIdle } from '../../src/server/return-memory-when-idle.ts';
import { ManualClock } from '../harness/manual-clock.ts';
import { waitFor } from '../harness/wait-for.ts';

const MB = 2 ** 20;

/** A server whose work and memory a test sets, and which counts how often it returned memory. */
function someServer() {
  const clock = new ManualClock();
  const server = { busyMs: 0, residentMb: 100, unusedMb: 0, returned: 0, isBroken: false };
  const stop = returnMemoryWhenIdle({
    clock,
    processorMs: () => server.busyMs,
    residentBytes: () => (server.residentMb + server.unusedMb) * MB,
    returnMemory: async () => {
      server.returned += 1;
      if (server.isBroken) throw new Error('no such call');
      server.unusedMb = 0;
    },
    log: { debug: () => undefined },
  });
  /** lets some seconds pass, in which the server works for this share of the time */
  const pass = async (seconds: number, share: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      server.busyMs += share * 1_000;
      clock.advance(1_000);
      // The next look is planned once the memory has been returned.
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  };
  return { server, pass, stop };
}

test('a failure to return memory ends nothing, and is not repeated at once', async () => {
  const { server, pass } = someServer();
  server.isBroken = true;
  server.unusedMb = 80;
  await pass(600, 0.01);
  expect(server.returned).toBe(1);
  server.unusedMb = 160;
  await pass(600, 0.01);
  expect(server.returned).toBe(2);
});

test('returns memory once the server is idle, not while it works', async () => {
  const { server, pass } = someServer();
  server.unusedMb = 80;
  await pass(60, 0.5);
  expect(server.returned).toBe(0);
  await pass(600, 0.01);
  expect(server.returned).toBe(1);
  server.unusedMb = 80;
  await pass(20, 0.9);
  await pass(20, 0.01);
  expect(server.returned).toBe(2);
});

test('leaves memory alone that is in use', async () => {
  const { server, pass } = someServer();
  server.residentMb = 300;
  await pass(3_600, 0.02);
  expect(server.returned).toBe(1);
});

test('leaves an idle server alone that has hardly grown, however long', async () => {
  const { server, pass } = someServer();
  server.unusedMb = 10;
  await pass(3_600, 0.02);
  expect(server.returned).toBe(0);
});

test('stops with the server', async () => {
  const { server, pass, stop } = someServer();
  server.unusedMb = 80;
  stop();
  await pass(60, 0);
  expect(server.returned).toBe(0);
});

test('large blocks go back to the kernel as soon as they are freed', async () => {
  expect(keepFreedMemorySmall()).toBe(true);
  const small: Buffer[] = [];
  /** The large blocks lie between small ones, which stay in use. They fit into no gap that other tests have left. */
  const fill = (): Buffer[] =>
    Array.from({ length: 10 }, () => {
      small.push(Buffer.alloc(50_000, 1));
      return Buffer.alloc(20 * MB, 1);
    });
  // Without the limit, glibc stops mapping blocks of this size on their own once the first of them are freed.
  let large = fill();
  large = [];
  await collectGarbage();
  large = fill();
  const before = process.memoryUsage.rss();
  expect(large.splice(0)).toHaveLength(10);
  const returned = (): number => before - process.memoryUsage.rss();
  const areBack = async (): Promise<boolean> => {
    // One collection need not find all of them, and V8 may free them on another thread.
    await collectGarbage();
    return returned() > 100 * MB;
  };
  await waitFor(areBack, { describe: 'the kernel has the blocks back', actual: returned });
  expect(small.every(([first]) => first === 1)).toBe(true);
});

test('the kernel gets back what the process no longer uses', async () => {
  // More than a page each, and less than what glibc maps on its own; some of them stay in use.
  const kept = Array.from({ length: 4_000 }, () => Buffer.alloc(50_000, 1)).filter((_, index) => index % 100 === 0);
  const before = process.memoryUsage.rss();
  await collectGarbage();
  await returnFreedMemory();
  expect(before - process.memoryUsage.rss()).toBeGreaterThan(100 * MB);
  expect(kept.every(([first]) => first === 1)).toBe(true);
});
