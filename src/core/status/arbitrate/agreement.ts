import type { Evidence, SourceVerdict } from '../evidence.ts';
import { TRANSCRIPT_RULE } from '../screen/screen-evidence.ts';
import { type Arbitration, final, isClosing, until } from './arbitration.ts';
import type { FullHearing } from './hearing.ts';
import { NEWS_MS } from './races.ts';

/** Decides between hooks and screen if both report the same primary. The more specific detail wins. */
export function agree(hearing: FullHearing): Arbitration {
  switch (hearing.screen.primary) {
    case 'waiting':
      return bothWait(hearing);
    case 'active':
      return bothActive(hearing);
    default:
      return bothIdle(hearing);
  }
}

function bothWait({ hook, screen, shown }: FullHearing): Arbitration {
  if (isClosing(screen)) return final(hook, 'both report waiting; the hook knows the reason');
  if (isClosing(hook)) return final(screen, 'both report waiting; a dialog is open now');
  if (shown.reading.dialog?.keys !== undefined)
    return final(screen, 'both report waiting; the screen shows a dialog that no hook reports');
  // On the screen, a dialog can be recognized only by its appearance. If that is not possible, or if the detailed
  // transcript covers the dialog, CBOS assumes that it is the dialog that the hook announced.
  return screen.detail === 'setup' || screen.rule === TRANSCRIPT_RULE
    ? final({ ...hook, since: screen.since }, 'both report waiting; the hook names the dialog')
    : final(screen, 'both report waiting; the screen shows the options');
}

function bothIdle({ hook, screen, evidence }: FullHearing): Arbitration {
  if (hook.detail === 'error' || screen.detail !== 'error')
    return final(hook, 'both report idle; the hook knows how the turn ended');
  return isAnswer(screen, evidence.hooks)
    ? final(hook, 'both report idle; the hook reports what looks like an error as the answer')
    : final(screen, 'both report idle; the screen shows an error that no hook reported');
}

/**
 * Reports whether the line that looks like an error is the beginning of the answer. Claude Code draws an answer that
 * begins with `API Error:` in the colour of an error (2.1.330). It shows no formatting marks of the answer.
 */
function isAnswer({ evidence: line }: SourceVerdict, { turnEnd }: Evidence['hooks']): boolean {
  const wordsOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');
  if (turnEnd === null || turnEnd.event !== 'Stop' || turnEnd.message === null) return false;
  const shown = wordsOf(line);
  const begin = wordsOf(turnEnd.isCut === true ? (turnEnd.begin ?? '') : turnEnd.message);
  return shown !== '' && begin.startsWith(shown);
}

function bothActive({ hook, screen, shown, evidence, now, thresholds }: FullHearing): Arbitration {
  if (hook.detail === 'compacting')
    return final(hook, 'a turn is running; the hook reports that Claude Code is compacting the conversation');
  if (screen.detail === 'compacting')
    return final(screen, 'a turn is running; the screen shows that Claude Code is compacting the conversation');
  // If the screen shows a call, a call from before the last prompt is still running.
  const isOldCall = hook.rule === 'hook.UserPromptSubmit' && evidence.hooks.tools.length > 0;
  if (isOldCall && screen.detail === 'using_tools')
    return final(screen, 'a call from before the last prompt is still running');
  if (screen.detail !== 'responding') return final(hook, 'a turn is running; the hook knows more about it');
  if (hook.detail === 'thinking') {
    // Text that was drawn before the last prompt or tool result cannot be the response to it. Only text drawn later can
    // be.
    return screen.since >= hook.since || shown.progressedAt > hook.since + NEWS_MS
      ? final(screen, 'an answer is being written, which hooks do not report')
      : final(hook, 'the text on the screen is older than the hook');
  }
  // In older versions, a failed call fires no hook. The call has therefore ended if an answer is being written.
  if (screen.since < hook.since + NEWS_MS) return final(hook, 'the text on the screen is older than the call');
  return until(screen.since + thresholds.drawLagMs, now, {
    first: hook,
    later: screen,
    whyFirst: 'the call may still be running while the text is written',
    whyLater: 'an answer is being written: the call has failed without a hook',
  });
}
