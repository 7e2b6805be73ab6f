import { encodePaste, guardText } from '../../core/delivery/paste.ts';
import { isDialogOpen, NOTHING_TOLD, type Seen } from '../../core/delivery/seen.ts';
import type { Effect, Step } from '../../core/delivery/step.ts';
import { readTexts } from '../../platform/claude/index.ts';
import { pressEnter, typeKeys } from '../../platform/gnu-screen/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { DeliveryJournal } from '../session/delivery-journal.ts';
import { seeDelivery, seePrompt, takesManyPastes } from '../session/see-delivery.ts';

const CLEAR_KEY = '\x03';

/**
 * Runs a state machine until it is idle: saves the changes that the machine requests, performs its effects, and calls
 * it again whenever there is something new. If the machine types, the caller must be running in the session's mailbox
 * and holding its turn.
 * @returns the state in which the machine has become idle
 * @throws CatalogueError session_dead, not_adopted, screen_unresponsive, no_such_screen, and everything that `apply`
 * throws
 */
export async function carryOn<State>(
  { actor, journal }: { actor: SessionActor; journal: Pick<DeliveryJournal, 'apply' | 'fail'> },
  advance: (state: State, seen: Seen) => Step<State>,
  from: State,
): Promise<State> {
  const { clock } = actor.deps;
  let state = from;
  let result: EffectResult = {};
  for (;;) {
    const step = advance(state, { ...seeDelivery(actor), ...result });
    if (moves(step, state)) {
      state = step.state;
      result = await carryOut(step);
    } else if (step.recheckAt === null) return state;
    else {
      const waitMs = Math.max(0, Math.ceil(step.recheckAt - clock.elapsed()));
      await actor.status.until(() => moves(advance(state, seeDelivery(actor)), state), waitMs);
    }
  }

  async function carryOut({ changes, effect }: Step<State>): Promise<EffectResult> {
    const isEnter = effect?.kind === 'enter' && effect.of === 'typed';
    if (!isEnter) journal.apply(changes);
    try {
      // If CBOS cannot save that it is about to press Enter, it does not press Enter and the delivery fails.
      if (isEnter) journal.apply(changes);
      return effect === null ? {} : await perform(actor, effect);
    } catch (cause) {
      if (effect?.kind === 'type' || isEnter) journal.fail(effect.id, cause);
      throw cause;
    }
  }
}

const moves = <State>(step: Step<State>, from: State): boolean =>
  step.state !== from || step.effect !== null || step.changes.length > 0;

/** What the next call of the machine learns about the effect. */
type EffectResult = Partial<Pick<Seen, 'told' | 'isEnterWithheld'>>;

async function perform(actor: SessionActor, effect: Effect): Promise<EffectResult> {
  const { screen } = actor.deps;
  switch (effect.kind) {
    case 'type':
      await typeText(actor, effect);
      return {};
    case 'enter': {
      // Screen may take seconds until the key can be pressed, and a dialog that has opened by then would take the key.
      const mayPress = (): boolean => effect.isForced || !isDialogOpen(seePrompt(actor));
      return { isEnterWithheld: !(await pressEnter(screen, actor.target, mayPress)) };
    }
    case 'clear':
      actor.promptKeys.rememberClearing();
      await typeKeys(screen, actor.target, CLEAR_KEY);
      // The time is saved again, because Screen may have been slow and the next clearing key must not follow too soon
      // after this one has arrived.
      actor.promptKeys.rememberClearing();
      return {};
    case 'forget_digits':
      actor.promptKeys.rememberAnswerKey(null);
      return {};
    case 'look':
      actor.recording?.look();
      return {};
    case 'read_transcript': {
      const { transcript } = actor.record.reported;
      const told = transcript === null ? NOTHING_TOLD : await readTexts(transcript);
      if (actor.status.seeRefused(told.refused)) actor.intake.keepHooks();
      return { told };
    }
  }
}

async function typeText(actor: SessionActor, { text, command }: Extract<Effect, { kind: 'type' }>): Promise<void> {
  const chunked = takesManyPastes(actor.record.claudeVersion);
  await actor.unread.expect();
  await typeKeys(actor.deps.screen, actor.target, encodePaste(guardText(text, { command }), { chunked })).catch(
    (cause: unknown) => {
      actor.unread.forget();
      throw cause;
    },
  );
  actor.unread.typed();
}
