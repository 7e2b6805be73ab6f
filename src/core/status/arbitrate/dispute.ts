import { describeTool } from '../asked-call.ts';
import type { SourceVerdict } from '../evidence.ts';
import { isToolOf } from '../form-question.ts';
import { requestedTool } from '../hooks/hook-rules.ts';
import { TRANSCRIPT_RULE } from '../screen/screen-evidence.ts';
import { type Arbitration, final, idleAfterTurn, isClosing, until } from './arbitration.ts';
import type { FullHearing } from './hearing.ts';
import {
  CONFIRMED_END_LAG_MS,
  DIALOG_LAG_MS,
  EARLY_DIALOG_MS,
  END_LAG_MS,
  NEVER_BEGAN_MS,
  NEWS_MS,
  REGISTRY_LAG_MS,
} from './races.ts';

/**
 * Decides between hooks and screen if they report different primaries. The decision depends on which of the two is
 * older and on what the registry reports.
 */
export function settleDispute(dispute: FullHearing): Arbitration {
  const { hook, screen } = dispute;
  if (screen.primary === 'waiting') return overDialog(dispute);
  if (hook.primary === 'waiting' && !isClosing(hook)) return afterRequest(dispute);
  if (hook.primary === 'active') return overIdleScreen(dispute);
  if (screen.primary === 'active') return overActiveScreen(dispute);
  // In the remaining case, one source reports a closing question and the other an idle prompt.
  return hook.detail === 'error' || hook.primary === 'waiting'
    ? final(hook, 'the turn is over; the hook knows how it ended')
    : final(screen, 'the turn is over; the screen shows how it ended');
}

/** Decides between hooks and screen if the screen shows a dialog or a closing question that the hooks do not report. */
function overDialog(dispute: FullHearing): Arbitration {
  const { hook, screen, shown, now, thresholds } = dispute;
  if (isClosing(screen)) {
    // The Stop hook reports the whole last message, except in older versions, where it reports none. Only in that case
    // does the last message on the screen count.
    if (hook.primary === 'idle') {
      return hook.evidence === '' && hook.detail === 'waiting_input'
        ? final(screen, 'the hook does not report the last message, but the screen shows it')
        : final(hook, 'the hook reports the whole last message, the screen only its end');
    }
    return until(Math.max(hook.since, screen.since) + thresholds.silentEndMs, now, {
      first: hook,
      later: screen,
      whyFirst: 'the screen may be from before the hook',
      whyLater: 'the screen has shown the end of the turn for a while, and no hook followed',
    });
  }
  // Versions before 2.1.329 do not show what is happening behind the detailed transcript.
  if (screen.rule === TRANSCRIPT_RULE && hook.primary === 'active')
    return isEndConfirmed(dispute)
      ? final(
          screen,
          'the detailed transcript covers a turn whose end the registry confirms: an interrupt fires no hook',
        )
      : final(hook, 'the detailed transcript covers the session; the hook knows what happens behind it');
  // A SessionStart hook does not mean that a dialog has closed. The prompt must be drawn first (trust dialog, 2.1.329).
  if (hook.rule === 'hook.SessionStart')
    return final(screen, 'a dialog covers the prompt, although the start hook was received');
  if (shown.reading.dialog === null) {
    // The dialog has disappeared, and no other reading has settled yet. If the prompt is visible again, a user
    // dismissed the dialog, which no hook reports.
    const isConfirmed = shown.reading.primary === hook.primary || hook.since > (shown.dialogSeenAt ?? 0);
    return isConfirmed
      ? final(hook, 'the dialog has just disappeared from the screen')
      : final(screen, 'the dialog has just disappeared, and the screen is still changing');
  }
  // A dialog of a background subagent remains open when the turn ends (2.1.329). The turn's own dialogs are answered
  // long before that.
  if (hook.rule.startsWith('hook.Stop')) return final(screen, 'the end of a turn does not close a dialog');
  if (hook.since > shown.changedAt) {
    if (isBeside(dispute)) return final(screen, 'a dialog is open that this hook does not close');
    return until(hook.since + thresholds.drawLagMs, now, {
      first: hook,
      later: screen,
      whyFirst: 'the screen is from before the hook',
      whyLater: 'the dialog is still there',
    });
  }
  return final(screen, 'the screen shows a dialog that no hook reported');
}

/**
 * Reports whether the turn may run on beside the dialog, so no hook of a call closes it. The dialog about the safety
 * check of auto mode concerns the whole session. After an address was accepted, the server's call ends and the turn
 * continues, while Claude Code waits for the server (2.1.330). In any other form, the call in which the server asks is
 * still running, so another call has fired the hook.
 */
function isBeside({ shown, evidence }: FullHearing): boolean {
  const { form, keys } = shown.reading.dialog ?? {};
  if (form === undefined) return keys !== undefined;
  return form.accepted === true || evidence.hooks.tools.some(({ name }) => isToolOf(form.server, name));
}

/**
 * Decides between hooks and screen if the hooks report a permission request but the screen shows no dialog. Either the
 * dialog has not been drawn yet, or someone has already answered it. No hook reports that answer.
 */
function afterRequest({ hook, screen, registry, shown, evidence, now }: FullHearing): Arbitration {
  const tool = requestedTool(evidence.hooks);
  // A dialog that was seen before the call was announced belongs to the previous call. A model may ask again within 100
  // ms.
  const isAnnounced = tool?.requestedAt != null && tool.at < tool.requestedAt;
  const drawnSince = Math.max(hook.since - EARLY_DIALOG_MS, isAnnounced ? tool.at : 0);
  const wasDrawn = shown.dialogSeenAt !== null && shown.dialogSeenAt >= drawnSince;
  const afterAnswer: SourceVerdict =
    screen.primary === 'active' && tool !== null
      ? { ...screen, detail: 'using_tools', rule: 'screen.dialog.answered', evidence: describeTool(tool) }
      : screen;
  if (shown.reading.dialog !== null) return final(hook, 'the dialog that the hook reported is being drawn');
  if (wasDrawn) return final(afterAnswer, 'the dialog is gone from the screen: it was answered, which no hook reports');
  const isStillAsked = registry?.primary === 'waiting' && registry.since >= hook.since - REGISTRY_LAG_MS;
  return isStillAsked
    ? final(hook, 'the registry also reports waiting')
    : until(hook.since + DIALOG_LAG_MS, now, {
        first: hook,
        later: afterAnswer,
        whyFirst: 'the dialog may not be drawn yet',
        whyLater: 'no dialog was ever drawn',
      });
}

/**
 * Decides between hooks and screen if the hooks report a running turn but the screen shows an idle prompt. Either the
 * turn was interrupted, or it has not been drawn yet.
 */
function overIdleScreen(dispute: FullHearing): Arbitration {
  const { hook, screen, registry, shown, evidence, now, thresholds } = dispute;
  const { silentEndMs } = thresholds;
  const lastHookAt = evidence.hooks.lastAt ?? hook.since;
  if (registry !== null && isEndConfirmed(dispute))
    return until(screen.since > hook.since ? now : registry.since + thresholds.drawLagMs, now, {
      first: hook,
      later: idleAfterTurn(screen),
      whyFirst: 'the screen is from before the hook, and does not show yet how the turn ended',
      whyLater: 'the prompt is visible and the registry confirms it: an interrupt fires no hook',
    });
  if (registry?.primary === 'active' && evidence.registry?.statusUpdatedAt != null)
    return final(hook, 'the registry also reports a turn');
  const isNews = screen.since > hook.since + NEWS_MS;
  const deadline = isNews
    ? Math.max(screen.since, lastHookAt) + silentEndMs
    : Math.max(hook.since, lastHookAt) + NEVER_BEGAN_MS;
  // If the screen changes while the prompt contains a draft, an answer is most likely being written.
  const isWritten =
    shown.reading.draft !== null && shown.progressedAt > hook.since && now - shown.progressedAt < silentEndMs;
  const choice = {
    first: hook,
    later: idleAfterTurn(screen),
    whyFirst: isWritten ? 'something is still being written above the prompt' : 'the screen may not show the turn yet',
    whyLater: 'the prompt has been visible for a while, and no hook followed: an interrupt fires none',
  };
  return until(isWritten ? shown.progressedAt + silentEndMs : deadline, now, choice);
}

/**
 * Reports whether the registry changed to idle after the hooks reported a turn. The result is false if the registry
 * contains no times.
 */
function isEndConfirmed({ hook, registry, evidence }: FullHearing): boolean {
  if (registry?.primary !== 'idle' || evidence.registry?.statusUpdatedAt == null) return false;
  const lastHookAt = evidence.hooks.lastAt ?? hook.since;
  return registry.since > hook.since && registry.since >= lastHookAt - REGISTRY_LAG_MS;
}

/**
 * Decides between hooks and screen if the hooks report that the turn is over but the screen shows a running turn.
 * Either the screen is out of date, or no hook announced the turn.
 */
function overActiveScreen({ hook, screen, registry, shown, now }: FullHearing): Arbitration {
  if (registry?.primary === 'active' && registry.since > hook.since) {
    return final(screen, 'the registry also reports a turn');
  }
  const isConfirmed = registry?.primary === 'idle' && registry.since >= hook.since - REGISTRY_LAG_MS;
  const lagMs = isConfirmed ? CONFIRMED_END_LAG_MS : END_LAG_MS;
  const begunAt = Math.min(screen.since, shown.primarySince);
  // The end of a turn may be reported before the turn is drawn. A spinner that starts or restarts after that report
  // still belongs to the same turn (2.1.330, on a loaded machine).
  if (begunAt > hook.since + (hook.rule.startsWith('hook.Stop') ? lagMs : NEWS_MS))
    return final(screen, 'the spinner began after the last hook: a turn that no hook reported');
  if (shown.changedAt <= hook.since + lagMs) return final(hook, 'the screen has not changed since the hook');
  return until(hook.since + lagMs, now, {
    first: hook,
    later: screen,
    whyFirst: 'the screen is from before the end of the turn',
    whyLater: 'the spinner is still turning: a turn that no hook reported',
  });
}
