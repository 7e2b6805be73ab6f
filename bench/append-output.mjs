// node append-output.mjs SPECIFICATION: appends output like Claude Code's to files (recordings, terminals), at a given
// rate. The specification is JSON: { files, timings, bytesPerSecond, seconds, writeBytes }. Prints { writtenBytes,
// seconds } at the end. Each write begins with a terminal title that contains the time of the write: ESC ] 0 ; T
// MICROSECONDS BEL, by the machine's monotonic clock.
import { openSync, writeSync } from 'node:fs';

/** @type {{ files: string[], timings?: string[], bytesPerSecond: number, seconds: number, writeBytes: number }} */
const { files, timings, bytesPerSecond, seconds, writeBytes } = JSON.parse(process.argv[2] ?? '');
/** How many different redraws there are. A program that compares redraws must not become fast by accident. */
const BLOCKS = 64;
/** The time between two checks of the clock. After each check, everything that is due is written. */
const TICK_MS = 1;

const outputs = files.map((file) => openSync(file, 'a'));
const rows = (timings ?? []).map((file) => openSync(file, 'a'));
const blocks = Array.from({ length: BLOCKS }, (_, seed) => redraw(seed));
const beganAt = performance.now();
let writtenBytes = 0;
let turn = 0;
let lastAt = beganAt;

function tick() {
  const elapsed = (performance.now() - beganAt) / 1_000;
  const due = bytesPerSecond * Math.min(elapsed, seconds);
  while (writtenBytes < due) {
    const index = turn % outputs.length;
    const bytes = Buffer.concat([Buffer.from(title()), blocks[turn % BLOCKS] ?? Buffer.alloc(0)]);
    writeSync(outputs[index] ?? -1, bytes);
    const now = performance.now();
    const row = rows[index];
    if (row !== undefined) writeSync(row, `O ${((now - lastAt) / 1_000).toFixed(6)} ${bytes.length}\n`);
    lastAt = now;
    writtenBytes += bytes.length;
    turn++;
    // A terminal that accepts no more output blocks every writer, and the time runs out.
    if (now - beganAt > seconds * 1_000) break;
  }
  if (elapsed < seconds) setTimeout(tick, TICK_MS);
  else process.stdout.write(JSON.stringify({ writtenBytes, seconds: (performance.now() - beganAt) / 1_000 }));
}
tick();

function title() {
  return `\u001b]0;T${String(process.hrtime.bigint() / 1_000n).padStart(16, '0')}\u0007`;
}

/**
 * Returns the lines of an answer, above a prompt that is redrawn below them.
 * @param {number} seed
 */
function redraw(seed) {
  const clear = `${'\u001b[2K\u001b[1A'.repeat(5)}\u001b[2K\u001b[G`;
  const rule = '─'.repeat(78);
  const prompt = `\u001b[38;5;174m✻ Garnishing… (${seed}s · ↓ ${seed * 37} tokens)\u001b[39m\r\n\r\n\u001b[2m${rule}\u001b[22m\r\n❯ \r\n\u001b[2m${rule}\u001b[22m\r\n  ? for shortcuts`;
  let lines = '';
  for (let word = seed; ; word++) {
    const text = `${clear}${lines}${prompt}`;
    const length = Buffer.byteLength(text);
    if (length + 20 > writeBytes)
      return Buffer.concat([Buffer.from(text), Buffer.alloc(Math.max(0, writeBytes - length), ' ')]);
    lines += word % 11 === 0 ? '\r\n  ' : `${((word * 2_654_435_761) % 99_991).toString(36)} `;
  }
}
