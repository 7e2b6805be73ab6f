import { squeeze } from './asked-call.ts';
import type { Evidence, SourceVerdict } from './evidence.ts';
import { isTurnRunning } from './hooks/hooks.ts';
import { INTERRUPTED } from './screen/layout.ts';
import { lastTurnOn } from './screen/screen-rules.ts';

/**
 * Reports whether the user interrupted the last turn of an idle session. No hook reports an interrupt, so the hooks
 * know no end of such a turn, except that a notification reports the idle prompt a minute later. If the user interrupts
 * while a Stop hook runs, the hooks report the end of the turn, and only the screen shows the interrupt (2.1.330).
 */
export function isInterrupted({ hooks, json, screen }: Pick<Evidence, 'hooks' | 'json' | 'screen'>): boolean {
  if (json !== undefined) return json.busySince === null && json.turnEnd?.interrupted === true;
  if (isTurnRunning(hooks) || hooks.turnEnd?.event === 'Notification') return !isEndShown({ hooks, screen });
  if (screen?.reading.isInterrupted !== true) return false;
  const { turnEnd } = hooks;
  if (turnEnd === null) return true;
  const isQuoted = turnEnd.message?.split('\n').some((line) => INTERRUPTED.test(line)) === true;
  return turnEnd.event === 'Stop' && screen.changedAt > turnEnd.at && !isQuoted;
}

/**
 * Reports whether the screen shows that the turn was not interrupted although no hook has reported its end, because
 * that hook is late or could not report. Below the prompt is an answer without the mark of an interrupt. If Claude Code
 * draws no mark after an interrupt, it puts the prompt back into the box, so that the last prompt on the screen is an
 * earlier one (2.1.330).
 */
function isEndShown({ hooks, screen }: Pick<Evidence, 'hooks' | 'screen'>): boolean {
  if (screen === null || screen.reading.isInterrupted === true) return false;
  const [first] = lastTurnOn(screen.frame);
  if (first?.kind !== 'prompt') return false;
  const shown = squeeze(first.lines.join('').slice(1));
  const reported = squeeze(hooks.prompt?.text ?? '');
  return screen.reading.lastMessage !== null && (reported.startsWith(shown) || shown.startsWith(reported));
}

/** An interrupted turn asks nothing, even if its last message is a question. */
export const withoutQuestion = (winner: SourceVerdict): SourceVerdict =>
  winner.rule === 'hook.Stop.closing'
    ? { ...winner, primary: 'idle', detail: 'waiting_input', rule: 'hook.Stop' }
    : winner;
