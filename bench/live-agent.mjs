// The live session. It draws BENCH_LIVE times a second, timed by the clock and not by pauses. Each time, it draws a
// spinner with a count and, below everything else, a line of coloured words that scrolls the screen.
const intervalMs = 1_000 / Number(process.env.BENCH_LIVE);
const WORDS = 19;
const ROWS = 50;

/** @param {number} count */
function line(count) {
  const words = Array.from({ length: WORDS }, (_, word) => {
    return `\u001b[3${(count + word) % 8}mword${String((count * 7 + word) % 1_000).padEnd(5)} `;
  });
  return `${words.join('')}\u001b[0m\r\n`;
}

for (let count = 0; count < ROWS; count++) process.stdout.write(line(count));
const started = performance.now();
let drawn = 0;
const draw = () => {
  drawn++;
  process.stdout.write(`\u001b[${ROWS};1H${line(drawn)}\u001b[3;1H\u001b[35m✻\u001b[39m Garnishing… (${drawn})`);
  setTimeout(draw, Math.max(0, started + drawn * intervalMs - performance.now()));
};
draw();
