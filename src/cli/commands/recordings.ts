import type { Command } from 'commander';
import { EXIT, settingKey } from '../../protocol/index.ts';
import { type CliContext, canDraw } from '../context.ts';
import { EXPORT_FORMATS, type ExportRequest, type RecordingChoice } from '../local-host.ts';
import { writeNewFile } from '../output/new-file.ts';
import { createProgress } from '../output/progress.ts';
import { openReplayTerminal } from '../output/replay-terminal.ts';
import { describe } from './command-help.ts';
import { readBetween, readClockTime, readWhole } from './option-values.ts';

/** The largest window size that the server accepts for a session. */
const MAX_CELLS = 1_000;
/** The lowest and highest replay speeds. Beyond them, a replay shows nothing useful. */
const [SLOWEST, FASTEST] = [0.01, 1_000];
/** The longest delay that a timer supports, in seconds. */
const MAX_IDLE = 2_147_483;

interface ChoiceOptions {
  timing?: string;
  cols?: number;
  rows?: number;
}

interface ExportOptions extends ChoiceOptions {
  format: ExportRequest['format'];
  output?: string;
  v3?: boolean;
  force?: boolean;
}

interface ReplayOptions extends ChoiceOptions {
  speed: number;
  idleLimit?: number;
  from: number;
}

const ABOUT_RECORDING = [
  'This command needs no server. RECORDING is a session, or a file written by `script`; its timing file must be next to it and be called FILE.timing, or be given with --timing.',
  'A Screen log or any other raw terminal output works too.',
];

/** Adds `export` and `replay`. */
export function addRecordings(program: Command, context: CliContext): void {
  const { out, host } = context;

  const exporting = describe(program.command('export'), {
    group: 'looking',
    summary: 'convert a recording to asciicast, text or an HTML page',
    more: [
      ...ABOUT_RECORDING,
      'The text format contains what the terminal showed, up to the last 100,000 lines; html contains the last screen and its scrollback.',
    ].join('\n'),
    examples: [
      ['cbos export AUTH --output auth.cast', 'export for asciinema and its players'],
      ['cbos export AUTH --format text | less', 'read what happened'],
      ['cbos export old/run.typescript --format html --output run.html', 'export the last screen, in colour'],
    ],
  })
    .argument('<recording>', 'a session, or a .typescript file')
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .option('--v3', 'write asciicast version 3, like --format asciicast-v3')
    .option('--force', 'overwrite the file if it exists');
  exporting.addOption(
    exporting.createOption('--format <format>', 'the output format').choices(EXPORT_FORMATS).default('asciicast'),
  );
  addChoice(exporting).action(async (recording: string, options: ExportOptions) => {
    const { output = null, force = false } = options;
    const format = options.v3 === true && options.format === 'asciicast' ? 'asciicast-v3' : options.format;
    const progress = createProgress(context.io, 'Exporting');
    // Show no progress if the output is a pipe: it may lead to a pager, and the progress would overwrite the pager's
    // screen.
    const onProgress = output === null ? () => undefined : progress.show;
    const request = { ...choiceOf(recording, options), format, output, onProgress };
    const { timed, text } = await host.exportRecording(request);
    if (!timed && format.startsWith('asciicast'))
      out.notice('no timing file was found, so all output has the same time — name one with --timing FILE');
    if (output !== null) {
      const writing = writeInterruptibly(context, { file: output, text, force });
      context.exitCode = await writing.finally(progress.end);
    } else
      for await (const piece of text) {
        if (out.closed.aborted) return;
        await out.raw(piece);
      }
  });

  const replaying = describe(program.command('replay'), {
    group: 'looking',
    summary: 'play a recording in this terminal',
    more: [
      ...ABOUT_RECORDING,
      'machine/NAME plays the recording of a session on another machine in the fleet, part by part; --timing, --cols and --rows do not apply to it.',
      `Keys: space pauses, . shows the next step, the arrows jump 5 s, + and - change the speed, f shows the files as they were at this moment, q quits. The files need the server, a session on this machine, and the setting ${settingKey('turn_checkpoints')}.`,
      'Only output that draws reaches your terminal: a recording cannot set the clipboard or the title, or query the terminal.',
    ].join('\n'),
    examples: [
      ['cbos replay AUTH --idle-limit 2', 'shorten every pause to at most 2 s'],
      ['cbos replay build1/AUTH', 'play the recording of a session on the machine build1'],
      ['cbos replay AUTH --from 1:30 --speed 4', 'start at a minute and a half, four times as fast'],
    ],
  })
    .argument('<recording>', 'a session, or a .typescript file')
    .option('--speed <n>', 'the playback speed; 2 is twice as fast', readBetween(SLOWEST, FASTEST), 1)
    .option('--idle-limit <seconds>', 'shorten pauses to this length', readBetween(0, MAX_IDLE))
    .option('--from <time>', 'start at this time: in seconds, or as in 1:30', readClockTime, 0);
  addChoice(replaying).action(async (recording: string, options: ReplayOptions) => {
    context.exitCode = await replayHere(context, recording, options);
  });
}

function addChoice(command: Command): Command {
  return command
    .option('--timing <file>', 'its timing file')
    .option('--cols <n>', 'width of the recorded terminal, in columns', readWhole(1, MAX_CELLS))
    .option('--rows <n>', 'height of the recorded terminal, in rows', readWhole(1, MAX_CELLS));
}

function choiceOf(recording: string, { timing, cols, rows }: ChoiceOptions): RecordingChoice {
  return { recording, timing: timing ?? null, cols: cols ?? null, rows: rows ?? null };
}

/** Removes the partially written file if the user presses Ctrl+C. @returns the exit code */
async function writeInterruptibly(
  { io }: CliContext,
  request: { file: string; text: AsyncIterable<string>; force: boolean },
): Promise<number> {
  const ending = new AbortController();
  let exitCode: number = EXIT.done;
  const stopListening = io.onInterrupt((code) => {
    exitCode = code;
    ending.abort();
  });
  try {
    await writeNewFile({ ...request, cwd: io.cwd, signal: ending.signal });
  } catch (cause) {
    if (!ending.signal.aborted) throw cause;
  } finally {
    stopListening();
  }
  return exitCode;
}

/** @returns the exit code */
async function replayHere(context: CliContext, recording: string, options: ReplayOptions): Promise<number> {
  const { host, io, out } = context;
  const ending = new AbortController();
  let exitCode: number = EXIT.done;
  const stopListening = io.onInterrupt((code) => {
    exitCode = code;
    ending.abort();
  });
  const signal = AbortSignal.any([ending.signal, out.closed]);
  const terminal = canDraw(io) ? openReplayTerminal(io, (text) => out.raw(text)) : null;
  try {
    await host.replay({
      ...choiceOf(recording, options),
      client: context.client,
      hasColours: (io.env.NO_COLOR ?? '') === '',
      speed: options.speed,
      idleLimitMs: options.idleLimit === undefined ? null : options.idleLimit * 1_000,
      fromMs: options.from * 1_000,
      onStart({ cols, rows, timed }) {
        const size = terminal?.size() ?? null;
        if (!timed)
          out.notice('no timing file was found, so everything is shown at once — name one with --timing FILE');
        if (size !== null && (size.cols < cols || size.rows < rows)) {
          out.notice(
            `the recording is ${cols}x${rows} but this terminal is ${size.cols}x${size.rows}, so parts are cut off`,
          );
        }
        terminal?.enter();
      },
      stage: {
        size: () => terminal?.size() ?? null,
        write: (text) => out.raw(text),
        onTyped: (listener) => terminal?.onTyped(listener) ?? (() => undefined),
        onResized: (listener) => terminal?.onResized(listener) ?? (() => undefined),
        signal,
      },
    });
  } finally {
    terminal?.restore();
    stopListening();
  }
  return exitCode;
}
