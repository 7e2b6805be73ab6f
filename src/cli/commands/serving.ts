import type { Command } from 'commander';
import { type Conversation, settingVariable, sortByAttention } from '../../protocol/index.ts';
import { broughtBackText, firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { printSessions } from '../actions/list-sessions.ts';
import { type CliContext, canDraw } from '../context.ts';
import type { SettingFlags } from '../local-host.ts';
import { offerRecent, recentConversations } from '../offer-recent.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe } from './command-help.ts';

interface ServerOptions {
  host?: string;
  port?: string;
  allowRemote?: boolean;
}

/** Adds `start` (which is also what plain `cbos` runs), `serve`, `up`, and `down`. */
export function addServing(program: Command, context: CliContext): void {
  const { out, host, io } = context;

  describe(program.command('start'), {
    group: 'server',
    summary: 'start CBOS if needed, and open its terminal UI',
    more: [
      '`npm start` and `cbos` alone run this too. The terminal UI lists all sessions and shows the selected one live. One key opens its question; ? lists the keys.',
      'Without a terminal, the command prints the address, how to sign in, and the sessions.',
    ].join('\n'),
    examples: [
      ['cbos', 'show everything at a glance; q quits, while the sessions and the server keep running'],
      ['cbos start | cat', 'print the sessions as a list, and the next steps'],
    ],
  }).action(async () => {
    if (canDraw(io)) {
      if (await host.isFirstStart()) await offerRecent(context);
      const { settings } = await context.settings();
      const { connectLocally } = await import('../connect-locally.ts');
      context.exitCode = await host.tui({
        // Do not check the server's version here: a message would appear in the middle of the terminal UI, which shows
        // the version itself.
        client: connectLocally(settings.socket, host.requireNotStopped),
        io,
        onProgress: out.notice,
      });
      return;
    }
    await start(context, { showsSignIn: io.stdout.isTTY !== true });
  });

  withServerFlags(
    describe(program.command('serve'), {
      group: 'server',
      summary: 'run the server in the foreground',
      more: 'This is what systemd runs. Ctrl-C ends the server; the sessions keep running.',
      examples: [
        ['cbos serve', 'run until Ctrl-C'],
        ['cbos serve --port 8080', 'use another port'],
      ],
    }),
  ).action(async (options: ServerOptions) => {
    const stop = new AbortController();
    const dispose = io.onInterrupt(() => stop.abort());
    try {
      await host.serve({
        flags: flagsOf(options),
        signal: stop.signal,
        onReady: (address, reach) => {
          const open = reach == null ? '' : `, and open to ${reach}`;
          out.notice(`the server is ready at ${address}${open}; Ctrl-C ends it, sessions keep running`);
        },
      });
    } finally {
      dispose();
    }
  });

  withServerFlags(
    describe(program.command('up'), {
      group: 'server',
      summary: 'start the server in the background',
      examples: [
        ['cbos up', 'start the server, unless it is already running'],
        ['cbos up --port 8080', 'use another port'],
      ],
    }),
  )
    .option('--json', 'print the result as JSON')
    .action(async (options: ServerOptions & { json?: boolean }) => {
      const outcome = await host.startInBackground({ flags: flagsOf(options), onProgress: out.notice });
      // Requests the version, so that a server with a different version is reported immediately.
      const client = await context.client();
      const address = await host.address();
      const sessions = await client.call('listSessions', {});
      const back = sessions.filter((one) => one.brought_back).map(({ slug }) => slug);
      const lost = sessions.filter((one) => one.lost !== undefined).length;
      if (back.length > 0) out.notice(`the database lacked ${broughtBackText(back)}`);
      if (lost > 0) out.notice(`${lost === 1 ? '1 session is' : `${lost} sessions are`} lost — cbos restore`);
      if (options.json === true) out.json({ status: outcome, address });
      else out.line(outcome === 'started' ? `ready at ${address}` : `ready at ${address} (it was already running)`);
    });

  describe(program.command('down'), {
    group: 'server',
    summary: 'stop the server; the sessions keep running',
    examples: [['cbos down && cbos up', 'restart the server, for example after an update']],
  })
    .option('--json', 'print the result as JSON')
    .action(async (options: { json?: boolean }) => {
      const outcome = await host.stopServer();
      if (options.json === true) out.json({ status: outcome });
      else if (outcome === 'stopped')
        out.line('CBOS stopped; the sessions keep running, and `cbos up` finds them again');
      else out.line("CBOS isn't running");
    });
}

/** Starts the server if none is running, then shows what the user wants to see first. */
export async function start(context: CliContext, options: { showsSignIn: boolean }): Promise<void> {
  const { out, host, io } = context;
  const outcome = await host.startInBackground({ flags: {}, onProgress: out.notice });
  const client = await context.client();
  const address = await host.address();
  if (options.showsSignIn || outcome === 'started') out.line(`CBOS is ready at ${address}`);
  if (options.showsSignIn) out.lines(signInLines(address, context.program));

  const sessions = await client.call('listSessions', {});
  if (options.showsSignIn || outcome === 'started') out.line();
  if (sessions.length === 0) out.line('No sessions yet.');
  else await printSessions(context, sessions);
  out.line();
  const first = sortByAttention(sessions)[0];
  const recent = first === undefined ? recentConversations(await client.call('conversations')) : [];
  out.lines(nextLines(context.program, first?.slug ?? null, recent));
  if (io.stdout.isTTY === true) out.line(out.style('dim', `The server is at ${address}; cbos down stops it.`));
}

function signInLines(address: string, program: string): string[] {
  return [
    'The web page, signed in:',
    `  ${program} open`,
    'Over HTTP, with the token:',
    `  curl -H "Authorization: Bearer $(${program} token)" ${address}/sessions`,
  ];
}

function nextLines(program: string, slug: string | null, recent: readonly Conversation[]): string[] {
  const lines: [command: string, does: string][] =
    slug === null
      ? [
          [`${program} new PATH`, 'launch Claude Code in a directory'],
          ...recent.map(({ claude_session_id: id, title }): [string, string] => [
            `${program} adopt --resume ${cleanLine(id)}`,
            `continue: ${firstLine(title ?? '')}`,
          ]),
          [`${program} demo`, 'five sessions on a scripted stand-in: offline, no key, no cost'],
        ]
      : [
          [`${program} show ${slug}`, 'see what it is doing, and how to answer it'],
          [`${program} attach ${slug}`, 'its terminal'],
          [`${program} new PATH`, 'another session'],
          [`${program} ls --watch`, 'watch the list as it changes'],
        ];
  lines.push([`${program} --help`, 'everything else']);
  const width = Math.max(...lines.map(([command]) => command.length));
  return ['Next:', ...lines.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`)];
}

function withServerFlags(command: Command): Command {
  return command
    .option('--host <address>', `address to listen on (${settingVariable('host')})`)
    .option('--port <port>', `port to listen on (${settingVariable('port')})`)
    .option('--allow-remote', `allow an address that other machines can reach (${settingVariable('allow_remote')})`);
}

/** Returns only the flags that the user gave, because a missing flag must not override the environment. */
function flagsOf({ host, port, allowRemote }: ServerOptions): SettingFlags {
  return {
    ...withoutUndefined({ host, port }),
    ...(allowRemote === true ? { allow_remote: 'true' } : {}),
  };
}
