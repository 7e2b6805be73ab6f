import { ATTENTIONS, countAttentions, isUnread, type Session } from '../../protocol/index.ts';
import { recordingsLines } from '../../text/recording-words.ts';
import { attentionCount, attentionStyle } from '../../text/session-words.ts';
import type { CliContext } from '../context.ts';

/** Runs `cbos status`. */
export async function countSessions(context: CliContext, options: { json?: boolean }): Promise<void> {
  const { out } = context;
  const client = await context.client();
  // Request both at the same time, because the command spends most of its time on round trips.
  if (options.json === true) {
    const [counts, recordings] = await Promise.all([client.call('countSessions'), client.call('recordings')]);
    out.json({ ...counts, recordings });
    return;
  }
  const [sessions, recordings] = await Promise.all([client.call('listSessions'), client.call('recordings')]);
  printCounts(context, sessions);
  out.line();
  out.lines(recordingsLines(recordings));
}

function printCounts({ out }: CliContext, sessions: readonly Session[]): void {
  const counts = countAttentions(sessions);
  for (const attention of ATTENTIONS) {
    const count = counts[attention];
    if (count > 0) out.line(out.style(attentionStyle(attention), attentionCount(attention, count)));
  }
  const unread = sessions.filter(isUnread).length;
  out.line(`  ${sessions.length} in all${unread === 0 ? '' : `, ${unread} unread`}`);
}
