import type { Evidence, Millis, ScreenEvidence, SourceVerdict } from './evidence.ts';
import { requestedTool } from './hook-rules.ts';
import { describeTool } from './question.ts';
import { companyOf, settledReading } from './screen.ts';

/** What each source says by itself; null where it says nothing. */
export interface Voices {
  process: SourceVerdict | null;
  json: SourceVerdict | null;
  hook: SourceVerdict | null;
  screen: SourceVerdict | null;
  registry: SourceVerdict | null;
}

export interface Arbitration {
  winner: SourceVerdict | null;
  /** why this one and no other, for people */
  why: string;
  /** when the same evidence would be judged anew, null when time alone changes nothing */
  recheckAt: Millis | null;
}

/** The screen is drawn up to some 100 ms after the hook of the same event (2.1.329: 10 to 150 ms); a second covers a loaded machine. */
const DRAW_LAG_MS = 1_000;
/**
 * After Stop the spinner goes within 100 ms, on a machine with too much to do within 700 ms (2.1.329); one that still turns belongs to
 * a turn that no hook announced.
 */
const END_LAG_MS = 1_000;
/** The same where the registry, too, says that the turn is over. */
const CONFIRMED_END_LAG_MS = 5_000;
/** How long an asked permission may stay undrawn before the screen is believed that no dialog is open. */
const DIALOG_LAG_MS = 2_000;
/** An interrupt fires no hook. Without a registry record the idle prompt must stand this long after the last hook. */
const SILENT_END_MS = 600;
/** A prompt that the hook announced and the screen never worked on (blocked by another hook of the user's). */
const NEVER_BEGAN_MS = 3_000;
/** A screen that shows nothing new for so long after another source has moved on is not recorded any more. */
const STALE_SCREEN_MS = 3_000;
/** A reading that began this long after a hook is news, not the picture from before. */
const NEWS_MS = 150;
/** The registry is written 10 to 140 ms after the event, so a record this much older may still speak of the same event. */
const REGISTRY_LAG_MS = 200;

/** The rule over a screen that is covered: what it says besides is a guess. */
const TRANSCRIPT_RULE = 'screen.transcript';

/** Decides between the sources. The rules are in the order of their strength. */
export function arbitrate(voices: Voices, evidence: Evidence, now: Millis): Arbitration {
  if (voices.process !== null) return final(voices.process, 'the process has ended, and that ends all arguments');
  if (voices.json !== null) return final(voices.json, 'the events of a JSON session are exact: nothing else is asked');
  const { hook, screen, registry } = voices;
  const settlesAt =
    evidence.screen === null ? null : settledReading(evidence.screen, now, companyOf(evidence.hooks)).recheckAt;
  // What a person has said in a rule of their own is meant.
  if (screen?.source === 'user')
    return { winner: screen, why: 'a rule of your own is believed before all others', recheckAt: settlesAt };
  const decided = decide({ hook, screen, registry }, evidence, now);
  return { ...decided, recheckAt: earliest(settlesAt, decided.recheckAt) };
}

const final = (winner: SourceVerdict | null, why: string): Arbitration => ({ winner, why, recheckAt: null });
const SPEAKERS = {
  hook: 'hooks say',
  registry: 'the registry says',
  screen: 'the screen says',
  process: 'the process says',
  json: 'the events say',
  user: 'your rules say',
  none: 'nothing says',
} as const;
const earliest = (a: Millis | null, b: Millis | null): Millis | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** `first` wins until the deadline, `later` from there on. Both with the reason. */
function until(
  deadline: Millis,
  now: Millis,
  choice: { first: SourceVerdict; later: SourceVerdict; whyFirst: string; whyLater: string },
): Arbitration {
  return now < deadline
    ? { winner: choice.first, why: choice.whyFirst, recheckAt: deadline }
    : final(choice.later, choice.whyLater);
}

function decide(voices: Omit<Voices, 'process' | 'json'>, evidence: Evidence, now: Millis): Arbitration {
  const { hook, screen, registry } = voices;
  if (screen === null || evidence.screen === null) return withoutScreen(hook, registry, evidence, now);
  const staleAt = staleTime(evidence.screen, screen, voices);
  if (staleAt !== null && now >= staleAt) return withoutScreen(hook, registry, evidence, now);
  const decided = withScreen({ hook, screen, registry, shown: evidence.screen }, evidence, now);
  return { ...decided, recheckAt: earliest(decided.recheckAt, staleAt) };
}

/** When the screen will have been overtaken; null while nobody contradicts it. The recording stopped (a full disk ends it silently). */
function staleTime(
  shown: ScreenEvidence,
  screen: SourceVerdict,
  others: Omit<Voices, 'process' | 'json'>,
): Millis | null {
  const contradicting = [others.hook, others.registry].filter(
    (voice) => voice !== null && voice.primary !== screen.primary && voice.since > shown.changedAt + STALE_SCREEN_MS,
  );
  // Registry and hooks call a closing question idle, or the other way round: no contradiction.
  if (contradicting.length === 0 || screen.rule.endsWith('.closing')) return null;
  return Math.max(...contradicting.map((voice) => voice?.since ?? 0)) + STALE_SCREEN_MS;
}

interface Heard {
  hook: SourceVerdict | null;
  screen: SourceVerdict;
  registry: SourceVerdict | null;
  shown: ScreenEvidence;
}

function withScreen({ hook, screen, registry, shown }: Heard, evidence: Evidence, now: Millis): Arbitration {
  if (screen.primary === null) {
    // Nothing on the screen yet: the process is starting, whatever SessionStart says.
    if (hook === null || hook.rule === 'hook.SessionStart') {
      const winner = hook === null ? registry : null;
      return final(
        winner,
        winner === null
          ? 'the process is starting: nothing stands on the screen yet'
          : 'only the registry says something',
      );
    }
    return withoutScreen(hook, registry, evidence, now);
  }
  if (hook === null) return screenOverRegistry({ hook, screen, registry, shown }, evidence, now);
  if (hook.primary === screen.primary) return agree(hook, screen, evidence, now);
  return disagree({ hook, screen, registry, shown }, evidence, now);
}

/** The registry corrects hooks only where it tells when: 2.1.150 writes no time of the status. */
function withoutScreen(
  hook: SourceVerdict | null,
  registry: SourceVerdict | null,
  evidence: Evidence,
  now: Millis,
): Arbitration {
  if (hook === null || registry === null) {
    const only = hook ?? registry;
    return final(
      only,
      only === null ? 'no source says anything' : `only ${SPEAKERS[only.source]} something that counts`,
    );
  }
  if (evidence.registry?.statusUpdatedAt == null || registry.primary === hook.primary) {
    return final(hook, 'hooks are the first to know, and the registry does not contradict them');
  }
  // A closing question is idle in the registry's words.
  if (registry.primary === 'idle' && hook.rule === 'hook.Stop.closing') {
    return final(hook, 'the registry calls a closing question idle: no contradiction');
  }
  if (registry.since <= hook.since) return final(hook, 'the hook is newer than the registry');
  return until(registry.since + SILENT_END_MS, now, {
    first: hook,
    later: idleAfterTurn(registry),
    whyFirst: 'the registry contradicts the hook, but only just',
    whyLater: 'the registry is newer than the hook, and no hook came: an interrupt fires none',
  });
}

/** Without hooks the screen decides; where it is known to be late or blind, the registry helps. */
function screenOverRegistry({ screen, registry, shown }: Heard, evidence: Evidence, now: Millis): Arbitration {
  const bestThereIs = final(screen, 'no hook ever came: the screen is the best that there is');
  if (screen.primary !== 'idle' || registry?.primary !== 'active') return bestThereIs;
  // While an answer streams and a draft stands in the prompt, 2.1.329 shows neither spinner nor hint.
  if (shown.reading.draft !== null) {
    const winner: SourceVerdict = { ...registry, detail: 'responding' };
    return final(winner, 'a draft in the prompt hides the signs of a turn: the registry knows');
  }
  const isNews = evidence.registry?.statusUpdatedAt != null && registry.since >= screen.since - REGISTRY_LAG_MS;
  if (!isNews) return bestThereIs;
  return until(registry.since + DRAW_LAG_MS, now, {
    first: registry,
    later: screen,
    whyFirst: 'the registry is newer than the prompt on the screen: the spinner is not drawn yet',
    whyLater: 'the registry says that a turn runs, the screen never showed one',
  });
}

/** Hooks and screen tell the same primary: the more telling detail wins. */
function agree(hook: SourceVerdict, screen: SourceVerdict, evidence: Evidence, now: Millis): Arbitration {
  switch (screen.primary) {
    case 'waiting': {
      if (screen.rule.endsWith('.closing')) return final(hook, 'both wait; the hook knows for what');
      if (hook.rule.endsWith('.closing')) return final(screen, 'both wait; a dialog is open by now');
      // The screen knows a dialog by its looks; one that it cannot name, or that a transcript covers, is what the hook announced.
      return screen.detail === 'setup' || screen.rule === TRANSCRIPT_RULE
        ? final({ ...hook, since: screen.since }, 'both wait; the hook has a name for the dialog')
        : final(screen, 'both wait; the screen shows the options');
    }
    case 'active':
      return agreeActive(hook, screen, evidence, now);
    default: {
      return hook.detail === 'error' || screen.detail !== 'error'
        ? final(hook, 'both are idle; the hook knows how the turn ended')
        : final(screen, 'both are idle; the screen shows an error that no hook told');
    }
  }
}

function agreeActive(hook: SourceVerdict, screen: SourceVerdict, evidence: Evidence, now: Millis): Arbitration {
  if (hook.detail === 'compacting') return final(hook, 'a turn runs; the hook says that it compacts');
  if (screen.detail === 'compacting') return final(screen, 'a turn runs; the screen shows that it compacts');
  // A call from before the last prompt runs on, if the screen shows one.
  const isOldCall = hook.rule === 'hook.UserPromptSubmit' && evidence.hooks.tools.length > 0;
  if (isOldCall && screen.detail === 'using_tools')
    return final(screen, 'a call from before the last prompt still runs');
  if (screen.detail !== 'responding') return final(hook, 'a turn runs; the hook knows more of it');
  if (hook.detail === 'thinking') {
    // Text from before the last tool call or prompt is no answer to it: it must have been drawn after.
    return screen.since >= hook.since || (evidence.screen?.progressedAt ?? 0) > hook.since + NEWS_MS
      ? final(screen, 'an answer is being written, of which hooks do not tell')
      : final(hook, 'the text on the screen is older than the hook');
  }
  // A call that failed fires no hook in older versions: an answer that is being written ends it.
  if (screen.since < hook.since + NEWS_MS) return final(hook, 'the text on the screen is older than the call');
  return until(screen.since + DRAW_LAG_MS, now, {
    first: hook,
    later: screen,
    whyFirst: 'the call may still run beside the text',
    whyLater: 'an answer is being written: the call has failed without a hook',
  });
}

type Dispute = Heard & { hook: SourceVerdict };

/** Hooks and screen tell different things: which is older, and whom does the registry believe? */
function disagree(dispute: Dispute, evidence: Evidence, now: Millis): Arbitration {
  const { hook, screen } = dispute;
  if (screen.primary === 'waiting') return overDialog(dispute, now);
  if (hook.primary === 'waiting' && !hook.rule.endsWith('.closing')) return afterRequest(dispute, evidence, now);
  if (hook.primary === 'active') return overIdleScreen(dispute, evidence, now);
  if (screen.primary === 'active') return overActiveScreen(dispute, now);
  // Left: a closing question on the one side, an idle prompt on the other.
  return hook.detail === 'error' || hook.primary === 'waiting'
    ? final(hook, 'the turn is over; the hook knows how it ended')
    : final(screen, 'the turn is over; the screen shows how it ended');
}

/** A dialog, or a closing question, is on the screen, and the hooks do not know of it. */
function overDialog({ hook, screen, shown }: Dispute, now: Millis): Arbitration {
  if (screen.rule.endsWith('.closing')) {
    // Stop tells the whole message: only where it does not (older versions), the screen's last line counts.
    if (hook.primary === 'idle') {
      return hook.evidence === '' && hook.detail === 'waiting_input'
        ? final(screen, 'the hook does not tell the last message, the screen shows it')
        : final(hook, 'the hook tells the whole last message, the screen its end');
    }
    return until(Math.max(hook.since, screen.since) + SILENT_END_MS, now, {
      first: hook,
      later: screen,
      whyFirst: 'the screen may be from before the hook',
      whyLater: 'the screen has shown the end of the turn for a while, and no hook came',
    });
  }
  // Versions before 2.1.329 do not tell what goes on below a transcript.
  if (screen.rule === TRANSCRIPT_RULE && hook.primary === 'active')
    return final(hook, 'a transcript covers the session; the hook knows what goes on below it');
  // A start never closes a dialog: the prompt must be drawn first (trust dialog, 2.1.329).
  if (hook.rule === 'hook.SessionStart')
    return final(screen, 'a dialog stands before the prompt, whatever a start says');
  if (shown.reading.dialog === null) {
    // Gone, and nothing has settled in its place. Where the prompt is up again it was dismissed, of which no hook tells.
    const isConfirmed = shown.reading.primary === hook.primary || hook.since > (shown.dialogSeenAt ?? 0);
    return isConfirmed
      ? final(hook, 'the dialog has just gone from the screen')
      : final(screen, 'the dialog has just gone, and nothing has settled in its place');
  }
  // A subagent in the background asks on while the turn ends (2.1.329). A dialog of the turn's own is answered long before that.
  if (hook.rule.startsWith('hook.Stop')) return final(screen, 'the end of a turn closes no dialog');
  if (hook.since > shown.changedAt) {
    return until(hook.since + DRAW_LAG_MS, now, {
      first: hook,
      later: screen,
      whyFirst: 'the screen is from before the hook',
      whyLater: 'the dialog still stands there',
    });
  }
  return final(screen, 'a dialog is on the screen that hooks do not know of');
}

/** A permission was asked and no dialog is on the screen: not drawn yet, or answered. No hook tells of the answer. */
function afterRequest({ hook, screen, registry, shown }: Dispute, evidence: Evidence, now: Millis): Arbitration {
  const wasDrawn = shown.dialogSeenAt !== null && shown.dialogSeenAt >= hook.since - DRAW_LAG_MS;
  const tool = requestedTool(evidence.hooks);
  const afterAnswer: SourceVerdict =
    screen.primary === 'active' && tool !== null
      ? { ...screen, detail: 'using_tools', rule: 'screen.dialog.answered', evidence: describeTool(tool) }
      : screen;
  if (shown.reading.dialog !== null) return final(hook, 'the dialog that the hook told of is being drawn');
  if (wasDrawn) return final(afterAnswer, 'the dialog is gone from the screen: answered, of which no hook tells');
  const isStillAsked = registry?.primary === 'waiting' && registry.since >= hook.since - REGISTRY_LAG_MS;
  return isStillAsked
    ? final(hook, 'the registry, too, says that it waits')
    : until(hook.since + DIALOG_LAG_MS, now, {
        first: hook,
        later: afterAnswer,
        whyFirst: 'the dialog may not be drawn yet',
        whyLater: 'no dialog was ever drawn',
      });
}

/** The hooks say that a turn runs, the screen shows an idle prompt: interrupted, or not drawn yet. */
function overIdleScreen({ hook, screen, registry, shown }: Dispute, evidence: Evidence, now: Millis): Arbitration {
  const lastHookAt = evidence.hooks.lastAt ?? hook.since;
  if (registry !== null && evidence.registry?.statusUpdatedAt != null) {
    const isAfterHook = registry.since >= lastHookAt - REGISTRY_LAG_MS;
    if (registry.primary === 'idle' && registry.since > hook.since && isAfterHook) {
      return final(idleAfterTurn(screen), 'the prompt is up and the registry confirms it: an interrupt fires no hook');
    }
    if (registry.primary === 'active') return final(hook, 'the registry, too, says that a turn runs');
  }
  const isNews = screen.since > hook.since + NEWS_MS;
  const deadline = isNews
    ? Math.max(screen.since, lastHookAt) + SILENT_END_MS
    : Math.max(hook.since, lastHookAt) + NEVER_BEGAN_MS;
  // What changes while the prompt stands there is most likely an answer being written under a draft.
  const isWritten =
    shown.reading.draft !== null && shown.progressedAt > hook.since && now - shown.progressedAt < SILENT_END_MS;
  const choice = {
    first: hook,
    later: idleAfterTurn(screen),
    whyFirst: isWritten ? 'something is still being written above the prompt' : 'the screen may not show the turn yet',
    whyLater: 'the prompt has been up for a while, and no hook came: an interrupt fires none',
  };
  return until(isWritten ? shown.progressedAt + SILENT_END_MS : deadline, now, choice);
}

/** A turn was begun, so the session is not fresh, though an early interrupt wipes the screen (2.1.150 on). */
const idleAfterTurn = (idle: SourceVerdict): SourceVerdict =>
  idle.detail === 'ready' ? { ...idle, detail: 'waiting_input' } : idle;

/** The hooks say that the turn is over, the screen shows one running: the old picture, or a turn that no hook announced. */
function overActiveScreen({ hook, screen, registry, shown }: Dispute, now: Millis): Arbitration {
  if (Math.min(screen.since, shown.primarySince) > hook.since + NEWS_MS)
    return final(screen, 'the spinner began after the last hook: a turn that no hook told of');
  if (registry?.primary === 'active' && registry.since > hook.since) {
    return final(screen, 'the registry, too, says that a turn runs');
  }
  const isConfirmed = registry?.primary === 'idle' && registry.since >= hook.since - REGISTRY_LAG_MS;
  const lagMs = isConfirmed ? CONFIRMED_END_LAG_MS : END_LAG_MS;
  if (shown.changedAt <= hook.since + lagMs) return final(hook, 'the screen has not changed since the hook');
  return until(hook.since + lagMs, now, {
    first: hook,
    later: screen,
    whyFirst: 'the screen is from before the end of the turn',
    whyLater: 'the spinner still turns: a turn that no hook told of',
  });
}
