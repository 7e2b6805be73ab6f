import { createInterface } from 'node:readline/promises';
import type { Conversation } from '../protocol/index.ts';
import { formatSince } from '../text/durations.ts';
import { firstLine, pathText } from '../text/session-words.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { CliContext } from './context.ts';
import { reportError } from './error-report.ts';

/** How many conversations to offer: as many as a user can take in at a glance. */
const MOST_OFFERED = 5;

/**
 * Returns the conversations that a new user of CBOS may want to continue, newest first. Conversations that are open
 * elsewhere are omitted.
 */
export function recentConversations(conversations: readonly Conversation[]): Conversation[] {
  return conversations.filter(({ pid }) => pid === null).slice(0, MOST_OFFERED);
}

/**
 * When CBOS starts for the first time, asks the user which recent conversation should become the first session. It asks
 * nothing if there are no recent conversations.
 */
export async function offerRecent(context: CliContext): Promise<void> {
  const { host, io, out } = context;
  await host.startInBackground({ flags: {}, onProgress: out.notice });
  const client = await context.client();
  const recent = recentConversations(await client.call('conversations'));
  if (recent.length === 0) return;
  out.line('Welcome to CBOS. Continue one of your recent conversations?');
  out.line();
  out.table(
    [{ title: '' }, { title: 'LAST' }, { title: 'PATH', keeps: 'end' }, { title: 'BEGAN WITH', keeps: 'start' }],
    recent.map(({ title, path, last_activity }, index) => [
      { text: String(index + 1), style: 'bold' },
      { text: `${formatSince(last_activity, io.now())} ago` },
      { text: pathText(path, io.env.HOME), style: 'dim' },
      { text: firstLine(title ?? '') },
    ]),
  );
  out.line();
  const chosen =
    recent[Number(await ask(context, `${recent.length === 1 ? '1' : `1-${recent.length}`}, or Enter for none: `)) - 1];
  if (chosen === undefined) return;
  const { settings } = await context.settings();
  try {
    const session = await client.call('adoptSession', {
      body: { resume: chosen.claude_session_id, type: settings.default_type ?? 'screen' },
    });
    out.line(`${cleanLine(session.slug)} continues it`);
  } catch (error) {
    // The terminal UI opens anyway, and the user can start a different session there.
    reportError(out, error);
  }
}

/** If the user presses Ctrl-D or Ctrl-C, there is no answer. */
async function ask({ io }: CliContext, question: string): Promise<string> {
  const dialog = createInterface({ input: io.stdin, output: io.stdout });
  const closed = new Promise<string>((resolve) => dialog.once('close', () => resolve('')));
  try {
    return (await Promise.race([dialog.question(question), closed])).trim();
  } finally {
    dialog.close();
  }
}
