import type { Evidence, Millis, ScreenEvidence, SourceVerdict } from './evidence.ts';
import { requestedTool } from './hook-rules.ts';
import { describeTool } from './question.ts';
import { companyOf, settledReading } from './screen.ts';

/** What each source says by itself; null where it says nothing. */
export interface Voices {
  process: SourceVerdict | null;
  hook: SourceVerdict | null;
  screen: SourceVerdict | null;
  registry: SourceVerdict | null;
}

export interface Arbitration {
  winner: SourceVerdict | null;
  /** when the same evidence would be judged anew, null when time alone changes nothing */
  recheckAt: Millis | null;
}

/** The screen is drawn up to some 100 ms after the hook of the same event (2.1.329: 10 to 150 ms); a second covers a loaded machine. */
const DRAW_LAG_MS = 1_000;
/** After Stop the spinner goes within 100 ms; one that still turns belongs to a turn that no hook announced. */
const END_LAG_MS = 500;
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

/** Decides between the sources. The rules are in the order of their strength. */
export function arbitrate(voices: Voices, evidence: Evidence, now: Millis): Arbitration {
  if (voices.process !== null) return final(voices.process);
  const { hook, screen, registry } = voices;
  const settlesAt =
    evidence.screen === null ? null : settledReading(evidence.screen, now, companyOf(evidence.hooks)).recheckAt;
  // What a person has said in a rule of their own is meant.
  if (screen?.source === 'user') return { winner: screen, recheckAt: settlesAt };
  const decided = decide({ hook, screen, registry }, evidence, now);
  return { winner: decided.winner, recheckAt: earliest(settlesAt, decided.recheckAt) };
}

const final = (winner: SourceVerdict | null): Arbitration => ({ winner, recheckAt: null });
const earliest = (a: Millis | null, b: Millis | null): Millis | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** `first` wins until the deadline, `later` from there on. */
function until(deadline: Millis, now: Millis, choice: { first: SourceVerdict; later: SourceVerdict }): Arbitration {
  return now < deadline ? { winner: choice.first, recheckAt: deadline } : final(choice.later);
}

function decide(voices: Omit<Voices, 'process'>, evidence: Evidence, now: Millis): Arbitration {
  const { hook, screen, registry } = voices;
  if (screen === null || evidence.screen === null) return withoutScreen(hook, registry, evidence, now);
  const staleAt = staleTime(evidence.screen, screen, voices);
  if (staleAt !== null && now >= staleAt) return withoutScreen(hook, registry, evidence, now);
  const { winner, recheckAt } = withScreen({ hook, screen, registry, shown: evidence.screen }, evidence, now);
  return { winner, recheckAt: earliest(recheckAt, staleAt) };
}

/** When the screen will have been overtaken; null while nobody contradicts it. The recording stopped (a full disk ends it silently). */
function staleTime(shown: ScreenEvidence, screen: SourceVerdict, others: Omit<Voices, 'process'>): Millis | null {
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
    if (hook === null || hook.rule === 'hook.SessionStart') return final(hook === null ? registry : null);
    return withoutScreen(hook, registry, evidence, now);
  }
  if (hook === null) return final(screenOverRegistry(screen, registry, shown));
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
  if (hook === null || registry === null) return final(hook ?? registry);
  if (evidence.registry?.statusUpdatedAt == null || registry.primary === hook.primary) return final(hook);
  // A closing question is idle in the registry's words.
  if (registry.primary === 'idle' && hook.rule === 'hook.Stop.closing') return final(hook);
  if (registry.since <= hook.since) return final(hook);
  return until(registry.since + SILENT_END_MS, now, { first: hook, later: idleAfterTurn(registry) });
}

/** While an answer streams and a draft stands in the prompt, 2.1.329 shows neither spinner nor hint: the registry knows. */
function screenOverRegistry(
  screen: SourceVerdict,
  registry: SourceVerdict | null,
  shown: ScreenEvidence,
): SourceVerdict {
  const isWeak = screen.primary === 'idle' && shown.reading.draft !== null;
  if (isWeak && registry?.primary === 'active') return { ...registry, detail: 'responding' };
  return screen;
}

/** Hooks and screen tell the same primary: the more telling detail wins. */
function agree(hook: SourceVerdict, screen: SourceVerdict, evidence: Evidence, now: Millis): Arbitration {
  switch (screen.primary) {
    case 'waiting': {
      if (screen.rule.endsWith('.closing')) return final(hook);
      if (hook.rule.endsWith('.closing')) return final(screen);
      // The screen knows a dialog by its looks; one that it cannot name is what the hook announced.
      return final(screen.detail === 'setup' ? { ...hook, since: screen.since } : screen);
    }
    case 'active':
      return agreeActive(hook, screen, evidence, now);
    default: {
      if (hook.detail === 'error' || screen.detail !== 'error') {
        return final(hook);
      }
      return final(screen);
    }
  }
}

function agreeActive(hook: SourceVerdict, screen: SourceVerdict, evidence: Evidence, now: Millis): Arbitration {
  if (hook.detail === 'compacting') return final(hook);
  if (screen.detail === 'compacting') return final(screen);
  // A call from before the last prompt runs on, if the screen shows one.
  const isOldCall = hook.rule === 'hook.UserPromptSubmit' && evidence.hooks.tools.length > 0;
  if (isOldCall && screen.detail === 'using_tools') return final(screen);
  if (screen.detail !== 'responding') return final(hook);
  if (hook.detail === 'thinking') {
    // Text from before the last tool call or prompt is no answer to it: it must have been drawn after.
    return screen.since >= hook.since || (evidence.screen?.progressedAt ?? 0) > hook.since + NEWS_MS
      ? final(screen)
      : final(hook);
  }
  // A call that failed fires no hook in older versions: an answer that is being written ends it.
  if (screen.since < hook.since + NEWS_MS) return final(hook);
  return until(screen.since + DRAW_LAG_MS, now, { first: hook, later: screen });
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
  return final(hook.detail === 'error' || hook.primary === 'waiting' ? hook : screen);
}

/** A dialog, or a closing question, is on the screen, and the hooks do not know of it. */
function overDialog({ hook, screen, shown }: Dispute, now: Millis): Arbitration {
  if (screen.rule.endsWith('.closing')) {
    // Stop tells the whole message: only where it does not (older versions), the screen's last line counts.
    if (hook.primary === 'idle') return final(hook.evidence === '' && hook.detail === 'waiting_input' ? screen : hook);
    return until(Math.max(hook.since, screen.since) + SILENT_END_MS, now, { first: hook, later: screen });
  }
  // A start never closes a dialog: the prompt must be drawn first (trust dialog, 2.1.329).
  if (hook.rule === 'hook.SessionStart') return final(screen);
  // The dialog has just been answered: it is gone but nothing has settled yet, or the picture is older than the hook.
  if (shown.reading.dialog === null) return final(hook);
  if (hook.since > shown.changedAt) return until(hook.since + DRAW_LAG_MS, now, { first: hook, later: screen });
  return final(screen);
}

/** A permission was asked and no dialog is on the screen: not drawn yet, or answered. No hook tells of the answer. */
function afterRequest({ hook, screen, registry, shown }: Dispute, evidence: Evidence, now: Millis): Arbitration {
  const wasDrawn = shown.dialogSeenAt !== null && shown.dialogSeenAt >= hook.since - DRAW_LAG_MS;
  const tool = requestedTool(evidence.hooks);
  const afterAnswer: SourceVerdict =
    screen.primary === 'active' && tool !== null
      ? { ...screen, detail: 'using_tools', rule: 'screen.dialog.answered', evidence: describeTool(tool) }
      : screen;
  if (shown.reading.dialog !== null) return final(hook);
  if (wasDrawn) return final(afterAnswer);
  const isStillAsked = registry?.primary === 'waiting' && registry.since >= hook.since - REGISTRY_LAG_MS;
  return isStillAsked ? final(hook) : until(hook.since + DIALOG_LAG_MS, now, { first: hook, later: afterAnswer });
}

/** The hooks say that a turn runs, the screen shows an idle prompt: interrupted, or not drawn yet. */
function overIdleScreen({ hook, screen, registry, shown }: Dispute, evidence: Evidence, now: Millis): Arbitration {
  const lastHookAt = evidence.hooks.lastAt ?? hook.since;
  if (registry !== null && evidence.registry?.statusUpdatedAt != null) {
    const isAfterHook = registry.since >= lastHookAt - REGISTRY_LAG_MS;
    if (registry.primary === 'idle' && registry.since > hook.since && isAfterHook) return final(idleAfterTurn(screen));
    if (registry.primary === 'active') return final(hook);
  }
  const isNews = screen.since > hook.since + NEWS_MS;
  const deadline = isNews
    ? Math.max(screen.since, lastHookAt) + SILENT_END_MS
    : Math.max(hook.since, lastHookAt) + NEVER_BEGAN_MS;
  // What changes while the prompt stands there is most likely an answer being written under a draft.
  const isWritten =
    shown.reading.draft !== null && shown.progressedAt > hook.since && now - shown.progressedAt < SILENT_END_MS;
  if (isWritten) return until(shown.progressedAt + SILENT_END_MS, now, { first: hook, later: idleAfterTurn(screen) });
  return until(deadline, now, { first: hook, later: idleAfterTurn(screen) });
}

/** A turn was begun, so the session is not fresh, though an early interrupt wipes the screen (2.1.150 on). */
const idleAfterTurn = (idle: SourceVerdict): SourceVerdict =>
  idle.detail === 'ready' ? { ...idle, detail: 'waiting_input' } : idle;

/** The hooks say that the turn is over, the screen shows one running: the old picture, or a turn that no hook announced. */
function overActiveScreen({ hook, screen, registry, shown }: Dispute, now: Millis): Arbitration {
  if (screen.since > hook.since + NEWS_MS) return final(screen);
  if (registry?.primary === 'active' && registry.since > hook.since) return final(screen);
  if (shown.changedAt <= hook.since + END_LAG_MS) return final(hook);
  return until(hook.since + END_LAG_MS, now, { first: hook, later: screen });
}
