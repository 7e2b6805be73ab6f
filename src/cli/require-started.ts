import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueError, SETTING_UP_RULE, type Session } from '../protocol/index.ts';
import { cleanBlock, cleanLine } from '../text/terminal-text.ts';
import type { CliContext } from './context.ts';

/** How often to ask. Claude Code takes about a second to show its prompt. */
const ASK_EVERY_MS = 100;
/** How long to wait on a machine that is slow. */
const LIMIT_MS = 10_000;
/** How many of the last lines on the screen an error quotes. Claude Code says less about a wrong argument. */
const QUOTED_LINES = 3;

/**
 * Waits until the Claude Code of a session in a terminal has drawn something, or its set-up runs. Claude Code ends if
 * it rejects an argument, which the launch itself does not notice. A JSON session starts Claude Code with its prompt.
 * @param slug the session, which may be on another machine: `machine/SESSION`
 * @throws CatalogueError launch_failed if it ended, with its exit code and its last words
 */
export async function requireStarted(context: CliContext, slug: string): Promise<void> {
  const { io, out } = context;
  const client = await context.client();
  const deadline = io.now() + LIMIT_MS;
  for (;;) {
    const session = await client.call('getSession', { params: { slug } });
    // Every face shows how a set-up ended.
    if (session.type === 'json' || session.worktree?.set_up?.state === 'failed') return;
    if (session.status.primary === 'dead') throw endedAtOnce(slug, session);
    const isSettingUp = session.status.because.rule === SETTING_UP_RULE;
    if (session.status.primary !== null || session.view !== undefined || isSettingUp) return;
    if (io.now() > deadline) {
      out.notice(`${slug} is still starting: cbos show ${slug}`);
      return;
    }
    await delay(ASK_EVERY_MS);
  }
}

function endedAtOnce(slug: string, { ended, buffer_tail: tail }: Session): CatalogueError {
  const lines = cleanBlock(tail ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const said = cleanLine(lines.slice(-QUOTED_LINES).join(' '));
  const how = ended?.exit_code === undefined ? '' : ` with exit code ${ended.exit_code}`;
  return new CatalogueError(
    'launch_failed',
    `${slug} ended as soon as it started${how}${said === '' ? '' : `: ${said}`}`,
    {
      hint: `\`cbos logs ${slug}\` shows all of its output, and \`cbos rm ${slug}\` removes the session`,
    },
  );
}
