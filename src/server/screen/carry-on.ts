import { encodePaste, guardText } from '../../core/delivery/paste.ts';
import { NOTHING_TOLD, type Seen, type ToldTexts } from '../../core/delivery/seen.ts';
import type { Effect, Step } from '../../core/delivery/step.ts';
import { readTexts } from '../../platform/claude/index.ts';
import { pressEnter, typeKeys } from '../../platform/gnu-screen/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { DeliveryJournal } from '../session/delivery-journal.ts';
import { seeDelivery, takesManyPastes } from '../session/see-delivery.ts';

const CLEAR_KEY = '\x03';

/**
 * Carries a machine on until it rests: writes down what it changes, does what it wants, and asks it again whenever
 * something new is seen. Call it with the session's mailbox and turn held where the machine types.
 * @returns the state that it rests in
 * @throws CatalogueError session_dead, not_adopted, screen_unresponsive, no_such_screen, and what `apply` throws
 */
export async function carryOn<State>(
  { actor, journal }: { actor: SessionActor; journal: Pick<DeliveryJournal, 'apply' | 'fail'> },
  advance: (state: State, seen: Seen) => Step<State>,
  from: State,
): Promise<State> {
  const { clock } = actor.deps;
  let state = from;
  let told: ToldTexts | null = null;
  for (;;) {
    const step = advance(state, { ...seeDelivery(actor), told });
    if (moves(step, state)) {
      state = step.state;
      told = await carryOut(step);
    } else if (step.recheckAt === null) return state;
    else {
      const waitMs = Math.max(0, Math.ceil(step.recheckAt - clock.elapsed()));
      await actor.status.until(() => moves(advance(state, seeDelivery(actor)), state), waitMs);
    }
  }

  async function carryOut({ changes, effect }: Step<State>): Promise<ToldTexts | null> {
    const isEnter = effect?.kind === 'enter' && effect.of === 'typed';
    if (!isEnter) journal.apply(changes);
    try {
      // Where it cannot be written down that Enter is pressed, Enter is not pressed, and the text has failed.
      if (isEnter) journal.apply(changes);
      return effect === null ? null : await perform(actor, effect);
    } catch (cause) {
      if (effect?.kind === 'type' || isEnter) journal.fail(effect.id, cause);
      throw cause;
    }
  }
}

const moves = <State>(step: Step<State>, from: State): boolean =>
  step.state !== from || step.effect !== null || step.changes.length > 0;

/** @returns what the transcript says, where that was to be read */
async function perform(actor: SessionActor, effect: Effect): Promise<ToldTexts | null> {
  const { screen } = actor.deps;
  switch (effect.kind) {
    case 'type':
      await typeText(actor, effect);
      return null;
    case 'enter':
      await pressEnter(screen, actor.target);
      return null;
    case 'clear':
      actor.rememberClearing();
      await typeKeys(screen, actor.target, CLEAR_KEY);
      // Screen may have taken its time: the next one must not come right after this one arrived.
      actor.rememberClearing();
      return null;
    case 'forget_digits':
      actor.rememberAnswerKey(null);
      return null;
    case 'look':
      actor.recording?.look();
      return null;
    case 'read_transcript':
      return actor.transcript === null ? NOTHING_TOLD : await readTexts(actor.transcript);
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
