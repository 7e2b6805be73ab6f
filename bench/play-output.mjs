// node play-output.mjs SPECIFICATION: appends recorded Claude Code output to the recordings of running sessions, in the
// same writes as when it was recorded. The specification is JSON: { outputs: [{ typescript, timing, source, first }],
// sources: [{ file, from, writes: [{ bytes, delayMs }] }], bytesPerSecond, seconds }. Each output plays its source over
// and over, beginning with the write whose number is `first`. `bytesPerSecond` applies to each output; if it is null,
// the pauses are as recorded. Prints { writtenBytes, writes, seconds } at the end.
import { openSync, readFileSync, writeSync } from 'node:fs';

/**
 * @typedef {{ file: string, from: number, writes: { bytes: number, delayMs: number }[] }} Source
 * @typedef {{ typescript: string, timing: string, source: number, first: number }} Output
 * @typedef {{ outputs: Output[], sources: Source[], bytesPerSecond: number | null, seconds: number }} Specification
 */

/** @type {Specification} */
const { outputs, sources, bytesPerSecond, seconds } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
/** The time between two checks of the clock. After each check, everything that is due is written. */
const TICK_MS = 1;

const pieces = sources.map(({ file, from, writes }) => {
  const all = readFileSync(file);
  let at = from;
  return writes.map(({ bytes, delayMs }) => {
    const piece = all.subarray(at, at + bytes);
    at += bytes;
    return { piece, delayMs };
  });
});
const players = outputs.map(({ typescript, timing, source, first }) => ({
  output: openSync(typescript, 'a'),
  rows: openSync(timing, 'a'),
  own: pieces[source] ?? [],
  next: first,
  /** when its next write is due, in milliseconds from the start */
  dueMs: 0,
  lastMs: 0,
}));

const beganAt = performance.now();
let writtenBytes = 0;
let writes = 0;

/**
 * @param {typeof players[number]} player
 * @param {number} nowMs
 */
function play(player, nowMs) {
  while (player.dueMs <= nowMs) {
    const current = player.own[player.next % player.own.length];
    if (current === undefined) return;
    player.next += 1;
    writeSync(player.output, current.piece);
    writeSync(player.rows, `O ${((nowMs - player.lastMs) / 1_000).toFixed(6)} ${current.piece.length}\n`);
    player.lastMs = nowMs;
    writtenBytes += current.piece.length;
    writes += 1;
    const after = player.own[player.next % player.own.length];
    player.dueMs += bytesPerSecond === null ? (after?.delayMs ?? 0) : (current.piece.length / bytesPerSecond) * 1_000;
  }
}

function tick() {
  const nowMs = performance.now() - beganAt;
  for (const player of players) play(player, Math.min(nowMs, seconds * 1_000));
  if (nowMs < seconds * 1_000) setTimeout(tick, TICK_MS);
  else process.stdout.write(JSON.stringify({ writtenBytes, writes, seconds: nowMs / 1_000 }));
}
tick();
