import { CatalogueError, EXIT, type RemoteName, type Session } from '../protocol/index.ts';
import { UsageError } from './command-error.ts';
import { type CliContext, canDraw } from './context.ts';
import { openReplayTerminal } from './output/replay-terminal.ts';

/** Opens the terminal of a session on another machine in this terminal. */
export async function attachFar(context: CliContext, { machine, slug: there }: RemoteName): Promise<void> {
  const { host, io, out } = context;
  const slug = `${machine}/${there}`;
  const client = await context.client();
  const session = await client.call('getSession', { params: { slug } });
  await requireTerminal(context, session);
  if (!canDraw(io)) {
    const hint = 'Set TERM to what your terminal is, such as TERM=xterm-256color';
    throw new UsageError('`cbos attach` cannot draw in this terminal, whose TERM is unknown', hint);
  }
  await context.settleVersionCheck();
  const leaving = new AbortController();
  let exitCode: number = EXIT.done;
  const stopListening = io.onInterrupt((code) => {
    exitCode = code;
    leaving.abort();
  });
  const terminal = openReplayTerminal(io, (text) => out.raw(text));
  terminal.enter();
  const outcome = await host
    .openFarTerminal({
      ...{ client, slug, now: io.now },
      stage: {
        size: terminal.size,
        write: (text) => out.raw(text),
        onTyped: terminal.onTyped,
        onResized: terminal.onResized,
        signal: AbortSignal.any([leaving.signal, out.closed]),
      },
    })
    .finally(() => {
      terminal.restore();
      stopListening();
    });
  if (outcome === 'ended') out.notice(`${slug} has stopped — cbos restart ${slug} continues its conversation`);
  else out.line(`[detached from ${slug}]`);
  context.exitCode = exitCode;
}

/** Wakes a parked session. @throws CatalogueError if the session has no terminal */
async function requireTerminal(context: CliContext, { slug, type, status, parked_at }: Session): Promise<void> {
  if (type === 'json') {
    const hint = `\`cbos send ${slug} TEXT\` sends it a prompt, \`cbos show ${slug}\` shows what it asks`;
    throw new CatalogueError('not_over_fleet', `${slug} is a JSON session, which has a terminal only on its machine`, {
      hint,
    });
  }
  if ((parked_at ?? null) !== null) {
    await (await context.client()).call('wakeSession', { params: { slug } });
  } else if (status.primary === 'dead') {
    const hint = `cbos restart ${slug} continues its conversation`;
    throw new CatalogueError('session_dead', `${slug} is stopped`, { hint });
  }
}
