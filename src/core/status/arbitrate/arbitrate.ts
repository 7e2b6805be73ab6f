import { SETTING_UP_RULE } from '../../../protocol/index.ts';
import type { SourceVerdict } from '../evidence.ts';
import type { Millis } from '../millis.ts';
import { agree } from './agreement.ts';
import { type Arbitration, earliest, final, idleAfterTurn, isClosing, until } from './arbitration.ts';
import { settleDispute } from './dispute.ts';
import type { Hearing, ScreenHearing } from './hearing.ts';
import { REGISTRY_LAG_MS } from './races.ts';
import { whileStopping, whileStoppingUnseen } from './stopping.ts';

const WHY_PROCESS = {
  ended: 'the process has ended, which settles the status',
  parked: 'CBOS has parked the session, so no process is left to report anything',
  setting_up: 'Claude Code starts only after the set-up of the worktree, which is running',
  unreachable: 'nothing can be typed into the session, whatever the other sources report',
} as const;

const STARTING = final(null, 'the process is starting, and the screen is still empty');

/** Decides which source to believe. The most reliable sources are checked first. */
export function arbitrate(hearing: Hearing): Arbitration {
  const { process, json, screen, settled } = hearing;
  if (process !== null) return final(process, WHY_PROCESS[whyProcess(process)]);
  if (json !== null) return final(json, 'the events of a JSON session are exact, so no other source counts');
  const settlesAt = settled?.recheckAt ?? null;
  // A rule that the user wrote is intentional, so it takes precedence.
  if (screen?.source === 'user')
    return { winner: screen, why: 'your own rules take precedence over all others', recheckAt: settlesAt };
  return recheckedAt(settlesAt, decide(hearing));
}

function whyProcess({ primary, rule }: SourceVerdict): keyof typeof WHY_PROCESS {
  if (primary === 'dead') return 'ended';
  if (rule === SETTING_UP_RULE) return 'setting_up';
  return primary === 'idle' ? 'parked' : 'unreachable';
}

const recheckedAt = (at: Millis | null, decided: Arbitration): Arbitration => ({
  ...decided,
  recheckAt: earliest(at, decided.recheckAt),
});

/** Decides whether to believe the hooks, the screen, or the registry. */
function decide(hearing: Hearing): Arbitration {
  const { screen, evidence, now } = hearing;
  if (screen === null || evidence.screen === null) return withoutScreen(hearing);
  const heard = { ...hearing, screen, shown: evidence.screen };
  const staleAt = staleTime(heard);
  return staleAt !== null && now >= staleAt ? withoutScreen(hearing) : recheckedAt(staleAt, withScreen(heard));
}

/**
 * Returns when the screen counts as stale, or null while no source contradicts it. A stale screen means that the
 * recording has stopped, which happens without an error when the disk is full.
 */
function staleTime({ screen, shown, hook, registry, thresholds }: ScreenHearing): Millis | null {
  // Registry and hooks report a closing question as idle. That does not contradict the screen.
  if (isClosing(screen)) return null;
  const { staleScreenMs } = thresholds;
  const contradictions = [hook, registry]
    .filter((voice) => voice !== null)
    .filter(({ primary, since }) => primary !== screen.primary && since > shown.changedAt + staleScreenMs);
  return contradictions.length === 0 ? null : Math.max(...contradictions.map(({ since }) => since)) + staleScreenMs;
}

function withScreen(hearing: ScreenHearing): Arbitration {
  const { hook, screen, registry, settled } = hearing;
  if (screen.primary === null) {
    // A view that has just closed still counts until the prompt below it has settled.
    const isView = settled?.reading.cover === 'view';
    const isStarting = hook?.rule === 'hook.SessionStart' && !isView;
    // A view asks nothing, but the registry reports a view as an open dialog.
    const says = isView && registry?.detail === 'setup' ? null : registry;
    if (hook !== null && !isStarting) return withoutScreen({ ...hearing, registry: says });
    // As long as the screen is empty, the process is still starting, even if SessionStart has been reported. A view is
    // different, because it covers a prompt that has already been drawn.
    if (hook !== null || registry === null) return STARTING;
    // Claude Code reports itself as idle in the registry some 30 ms before it draws the screen (2.1.330).
    const drawnAt = registry.since + hearing.thresholds.drawLagMs;
    return registry.primary === 'idle' && !isView && hearing.now < drawnAt
      ? { ...STARTING, recheckAt: drawnAt }
      : final(registry, 'only the registry reports a status');
  }
  if (hook === null) return screenOverRegistry(hearing);
  const full = { ...hearing, hook };
  return whileStopping(full) ?? (hook.primary === screen.primary ? agree(full) : settleDispute(full));
}

const SPEAKERS = {
  hook: 'hooks report',
  registry: 'the registry reports',
  screen: 'the screen shows',
  process: 'the process tree reports',
  json: 'the events report',
  user: 'your rules report',
  none: 'nothing reports',
} as const;

/**
 * Decides between hooks and registry when there is no evidence from the screen. The registry can correct the hooks only
 * if its record contains a time, which version 2.1.150 does not store.
 */
function withoutScreen(hearing: Hearing): Arbitration {
  const { hook, registry, evidence, now, thresholds } = hearing;
  if (hook === null || registry === null) {
    const only = hook ?? registry;
    return final(
      only,
      only === null ? 'no source reports anything' : `only ${SPEAKERS[only.source]} anything relevant`,
    );
  }
  if (evidence.registry?.statusUpdatedAt == null || registry.primary === hook.primary) {
    return final(hook, 'hooks report first, and the registry does not contradict them');
  }
  if (registry.primary === 'idle' && isClosing(hook)) {
    return final(hook, 'the registry reports a closing question as idle: no contradiction');
  }
  const stopping = whileStoppingUnseen({ ...hearing, hook });
  if (stopping !== null) return stopping;
  if (registry.since <= hook.since) return final(hook, "the hook is newer than the registry's report");
  return until(registry.since + thresholds.silentEndMs, now, {
    first: hook,
    later: idleAfterTurn(registry),
    whyFirst: 'the registry has contradicted the hook only for a moment',
    whyLater: 'the registry is newer than the hook, and no hook followed: an interrupt fires none',
  });
}

/**
 * Decides between screen and registry when there is no evidence from hooks. The screen wins, except where it is known
 * to lag behind or shows no sign of a turn.
 */
function screenOverRegistry({ screen, registry, shown, evidence, now, thresholds }: ScreenHearing): Arbitration {
  const bestThereIs = final(screen, 'no hook was ever received: the screen is the best source');
  if (screen.primary !== 'idle' || registry?.primary !== 'active') return bestThereIs;
  // While an answer streams and the prompt contains a draft, Claude Code 2.1.329 shows neither the spinner nor the
  // hint.
  if (shown.reading.draft !== null) {
    const winner: SourceVerdict = { ...registry, detail: 'responding' };
    return final(winner, 'a draft in the prompt hides the signs of a turn, so the registry decides');
  }
  const isNews = evidence.registry?.statusUpdatedAt != null && registry.since >= screen.since - REGISTRY_LAG_MS;
  if (!isNews) return bestThereIs;
  const whyFirst = 'the registry is newer than the prompt on the screen: the spinner is not drawn yet';
  // On a busy machine, the spinner is drawn only after the deadline, and must turn for a while before it counts.
  if (shown.reading.primary === 'active') return final(registry, whyFirst);
  return until(registry.since + thresholds.drawLagMs, now, {
    first: registry,
    later: screen,
    whyFirst,
    whyLater: 'the registry reports a turn, but the screen never showed one',
  });
}
