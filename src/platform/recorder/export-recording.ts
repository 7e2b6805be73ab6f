import {
  type CastEvent,
  type CastVersion,
  castHeaderLine,
  createCastWriter,
  ScreenReader,
  ShortNumbers,
} from '../../core/recording/index.ts';
import { withoutReordering } from '../../text/terminal-text.ts';
import type { Emulator } from '../emulator/index.ts';
import { type RecordingSource, readFacts, readSteps } from './recording-steps.ts';
import { type ProgressListener, replayRecording } from './replay-recording.ts';

/** How many lines of a long session are kept. Older lines are dropped. 100,000 lines take 140 MB during the export. */
const TEXT_LINES = 100_000;
/** The maximum number of lines on a page. A page with more lines would be slow in every browser. */
const PAGE_LINES = 10_000;

/**
 * Returns a recording as an asciicast file, line by line. Only one line is in memory at a time, however long the
 * recording is. A UTF-8 character that was split between two writes is returned whole with the second one. Bytes that
 * are not UTF-8 become U+FFFD.
 * @throws CatalogueError no_recording
 */
export async function* exportCast(
  source: RecordingSource,
  { version, title, onProgress }: { version: CastVersion; title: string; onProgress: ProgressListener },
): AsyncGenerator<string> {
  const facts = await readFacts(source);
  yield castHeaderLine({ ...facts, timestamp: facts.startedAt, title }, version);
  const write = createCastWriter(version);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const numbers = new ShortNumbers();
  let at = 0;
  for await (const step of readSteps(source, facts)) {
    at = step.at;
    const event: CastEvent =
      step.kind === 'resize'
        ? step
        : { kind: 'output', at, text: numbers.read(decoder.decode(step.bytes, { stream: true })) };
    if (event.kind === 'resize' || event.text !== '') yield write(event);
    if (step.kind === 'output') onProgress((step.to - facts.start) / (facts.end - facts.start));
  }
  const rest = decoder.decode();
  if (rest !== '') yield write({ kind: 'output', at, text: rest });
  if (facts.exitCode !== null) yield write({ kind: 'exit', at, code: facts.exitCode });
}

/**
 * Returns the session's text as a user could read it: first what has scrolled off the screen, then the last screen. The
 * screens of full-screen programs are inserted where the programs ran, as far as those screens were redrawn.
 * @throws CatalogueError no_recording
 */
export async function exportText(source: RecordingSource, onProgress: ProgressListener): Promise<string> {
  const reader = new ScreenReader();
  const alternate: { row: () => number | null; lines: string[] }[] = [];
  let sofar: string[] = [];
  let lines: string[] = [];
  let emulator: Emulator | null = null;
  await replayRecording({
    ...source,
    onProgress,
    scrollback: TEXT_LINES,
    onStart(started) {
      emulator = started;
      let row = (): number | null => null;
      started.onAlternate({
        entering: () => {
          row = started.markRow();
        },
        leaving: () => {
          alternate.push({ row, lines: [...sofar, ...reader.see(started.frame().lines), ...reader.leave()] });
          sofar = [];
        },
      });
    },
    onFrame(frame) {
      if (emulator?.isAlternate() === true) sofar.push(...reader.see(frame.lines));
    },
    onEnd(ended) {
      const normal = ended.normalLines();
      let done = 0;
      for (const { row, lines: shown } of alternate) {
        const upTo = Math.max(done, row() ?? done);
        lines.push(...normal.slice(done, upTo), ...shown);
        done = upTo;
      }
      lines = [...lines, ...normal.slice(done), ...sofar, ...reader.leave()];
    },
  });
  return lines.length === 0 ? '' : withoutReordering(`${lines.join('\n')}\n`);
}

/**
 * Returns a self-contained page that shows the last screen with its scrollback, in colour. If a full-screen program
 * ran, what it showed when it was left comes first. Nothing on the page is active: it has no scripts, links, or images,
 * and its policy also forbids them.
 * @throws CatalogueError no_recording
 */
export async function exportPage(
  source: RecordingSource,
  { title, onProgress }: { title: string; onProgress: ProgressListener },
): Promise<string> {
  let left = '';
  let shown = '';
  await replayRecording({
    ...source,
    onProgress,
    scrollback: PAGE_LINES,
    onFrame: () => undefined,
    onStart: (emulator) => {
      emulator.onAlternate({
        entering: () => undefined,
        leaving: () => {
          left = emulator.text(PAGE_LINES, 'html');
        },
      });
    },
    onEnd: (emulator) => {
      shown = emulator.text(PAGE_LINES, 'html');
    },
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
body { background: #1e1e1e; margin: 1em; }
pre { margin: 0 0 1em; overflow-x: auto; }
pre > div { color: #d4d4d4 !important; background-color: #1e1e1e !important; font: 14px/1.2 monospace !important; }
pre > div > div { min-height: 1.2em; }
</style>
</head>
<body>
${withoutReordering([left, shown].filter((part) => part !== '').join('\n'))}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
