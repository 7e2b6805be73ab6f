import type { Command } from 'commander';
import { CatalogueError, EXIT, type Session, splitRemoteName } from '../../protocol/index.ts';
import { cleanBlock } from '../../text/terminal-text.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { type CliContext, isInteractive } from '../context.ts';
import { followStream } from '../follow-stream.ts';
import { markLookedAt } from '../looked-at.ts';
import { PlainText } from '../output/plain-text.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

/**
 * Reports that the user attached to the session's terminal has seen its screen. The session is identified by its id,
 * because it may have been renamed by now.
 */
async function noteAttached(context: CliContext, { screen_id }: Session): Promise<void> {
  const client = await context.client();
  // If the server has stopped by now, the session stays unread.
  const sessions = await client.call('listSessions').catch(() => []);
  const seen = sessions.find((one) => one.screen_id === screen_id);
  if (seen !== undefined) await markLookedAt(context, seen);
}

/** The maximum number of lines that the server returns per request. The server does not keep more lines than this. */
const ALL_LINES = 100_000;

/** An older server does not support parked sessions. */
const isParked = ({ parked_at: at }: Partial<Session>): boolean => (at ?? null) !== null;

interface LogsOptions {
  follow?: boolean;
  raw?: boolean;
  json?: boolean;
}

/** Adds `attach`, `buffer`, and `logs`. */
export function addTerminal(program: Command, context: CliContext): void {
  const { out, host, io } = context;

  describe(program.command('attach'), {
    group: 'talking',
    summary: "open a session's real terminal",
    more: 'This is GNU Screen: leave it with Ctrl-A d, and the session keeps running. A JSON session gets a terminal with the same conversation while you are attached. If you leave in the middle of a turn, the session keeps the terminal until `cbos convert SLUG json`.\nA terminal on another machine in the fleet is opened with machine/NAME. Typing there needs the right to type; without it, the terminal is only shown. While the machine cannot be reached, the last line reports that, and keys are dropped.',
    examples: [
      ['cbos attach AUTH', 'open the terminal of AUTH; leave it with Ctrl-A d'],
      ['cbos attach build1/AUTH', 'the same, for a session on the machine build1'],
    ],
  })
    .argument('<name>', 'the session')
    .action(async (slug: string) => {
      if (!isInteractive(io)) {
        throw new UsageError('`cbos attach` needs a terminal', `cbos buffer ${slug} prints its screen`);
      }
      const remote = splitRemoteName(slug);
      if (remote !== null) {
        const { attachFar } = await import('../attach-far.ts');
        return attachFar(context, remote);
      }
      const client = await context.client();
      const found = await client.call('getSession', { params: { slug } });
      const isJson = found.type === 'json' && found.status.primary !== 'dead';
      const session = isJson
        ? await client.call('convertSession', { params: { slug }, body: { type: 'screen' } })
        : isParked(found)
          ? await client.call('wakeSession', { params: { slug } })
          : found;
      if (session.status.primary === 'dead') {
        const hint = `cbos restart ${slug} continues its conversation`;
        throw new CatalogueError('session_dead', `${slug} is stopped`, { hint });
      }
      if (session.screen_id === null) {
        throw new CommandError(`${slug} has no terminal`, `cbos show ${slug}`, EXIT.refused);
      }
      await context.settleVersionCheck();
      context.exitCode = await host.runAttached(host.attachArgv(session.screen_id));
      await noteAttached(context, session);
      if (isJson) await giveBack(context, slug);
    });

  describe(program.command('buffer'), {
    group: 'looking',
    summary: "print a session's screen and scrollback as text",
    examples: [
      ['cbos buffer AUTH', 'print the last 100 lines'],
      ['cbos buffer AUTH --lines 1000 | less', 'print the last 1000 lines'],
      ['cbos buffer build1/AUTH', 'the same from another machine in the fleet'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--lines <n>', 'at most this many lines', readWhole(1, ALL_LINES), 100)
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: { lines: number; json?: boolean }) => {
      const client = await context.client();
      const body = await client.call('buffer', { params: { slug }, query: { lines: options.lines } });
      if (options.json === true) out.json(body);
      else await out.raw(block(body.buffer));
    });

  describe(program.command('logs'), {
    group: 'looking',
    summary: "print a session's recording",
    more: [
      'Without --raw, the command prints what the screen showed, as text. With -f, it continues with new output, without escape codes. Programs that draw on the screen overwrite their own output, so the text is meant only for reading.',
      'With --raw, it prints the recorded bytes, including colours and cursor moves, which your terminal obeys. With --raw -f, bytes that are not UTF-8 appear as U+FFFD.',
    ].join('\n'),
    examples: [
      ['cbos logs AUTH | less', 'read what happened'],
      ['cbos logs AUTH -f', 'keep printing new output'],
      ['cbos logs AUTH --raw > auth.typescript', 'save the recording itself'],
    ],
  })
    .argument('<name>', 'the session')
    .option('-f, --follow', 'print new output as it arrives, until Ctrl-C')
    .option('--raw', 'print the bytes as they were recorded')
    .option('--json', 'print the API response of /buffer as JSON; with -f, the frames of /ws/stream, one per line')
    .action(async (slug: string, options: LogsOptions) => {
      if (options.follow === true) context.exitCode = await followRecording(context, slug, options);
      else await printRecording(context, slug, options);
    });
}

/** Closes a session's temporary terminal. The session then continues without one, unless it is busy. */
async function giveBack(context: CliContext, slug: string): Promise<void> {
  const client = await context.client();
  try {
    await client.call('convertSession', { params: { slug }, body: { type: 'json' } });
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    context.out.notice(`${slug} keeps its terminal: ${error.message} — cbos convert ${slug} json`);
  }
}

async function printRecording({ client, out }: CliContext, slug: string, options: LogsOptions): Promise<void> {
  if (options.raw === true) {
    for await (const bytes of await (await client()).recording(slug)) {
      if (out.closed.aborted) return;
      await out.raw(bytes);
    }
    return;
  }
  const body = await (await client()).call('buffer', { params: { slug }, query: { lines: ALL_LINES } });
  if (options.json === true) out.json(body);
  else await out.raw(block(body.buffer));
}

async function followRecording(context: CliContext, slug: string, options: LogsOptions): Promise<number> {
  const { out } = context;
  const from = await startOfFollowing(context, slug, options);
  const text = new PlainText();
  let name = slug;
  // Writes run one at a time. Each waits until the output has room, and the server sends at most one window of output
  // beyond what has been acknowledged.
  let writing = Promise.resolve();

  return followStream(
    context,
    { recordings: [slug], from: { [slug]: from }, interruptedCode: EXIT.done },
    (ending, connection) => ({
      onFrame(frame) {
        if (options.json === true && 'session' in frame && frame.session === name) out.jsonLine(frame);
        if (frame.type === 'session_renamed' && frame.session === name) name = frame.slug;
        if (frame.type === 'session_removed' && frame.session === name) {
          writing.then(() => ending.finish(EXIT.done), ending.fail);
        }
        if (frame.type === 'error') ending.fail(new CommandError(frame.error.message, frame.error.hint));
        if (frame.type !== 'stream' || frame.session !== name) return;
        const { data, offset } = frame;
        if (frame.snapshot === true)
          out.notice('the recording was restarted or is too far ahead; the current screen follows');
        writing = writing.then(async () => {
          if (options.json !== true) await out.raw(options.raw === true ? data : text.read(data));
          connection().send({ type: 'ack', session: name, offset });
        });
        writing.catch(ending.fail);
      },
    }),
  );
}

/** Prints the output so far, and returns the offset at which new output begins. */
async function startOfFollowing(context: CliContext, slug: string, options: LogsOptions): Promise<number> {
  const client = await context.client();
  if (options.raw === true) {
    // Send this request first, because the stream does not report that a session does not exist or has no recording.
    await client.call('buffer', { params: { slug }, query: { lines: 1 } });
    return 0;
  }
  const body = await client.call('buffer', { params: { slug }, query: { lines: ALL_LINES } });
  if (options.json !== true) await context.out.raw(block(body.buffer));
  return body.offset;
}

/** Returns a screen as text, without trailing empty lines. */
function block(text: string): string {
  const trimmed = cleanBlock(text).trimEnd();
  return trimmed === '' ? '' : `${trimmed}\n`;
}
