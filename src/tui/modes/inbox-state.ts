import {
  type GivenAnswer,
  type HeldAnswer,
  type InboxCard,
  idOf,
  inboxCards,
  type QuestionCard,
} from '../../client/index.ts';
import { mayAllow, type QuestionMemory } from '../../protocol/index.ts';
import { cutText } from '../../text/tool-input-text.ts';
import type { App } from '../app.ts';
import { createPager } from '../list.ts';
import type { Page } from '../mode.ts';
import { READING_MS } from '../model.ts';
import { cardLines } from './inbox-card.ts';
import { holdOf } from './inbox-hold.ts';

/** The card that the picture shows, and whether its end was visible. */
interface Drawn {
  key: string;
  since: number;
  isRead: boolean;
  /** since when the picture has shown the suggestion to answer as before, or null if it does not show it */
  suggestedSince: number | null;
}

/**
 * Returns the earlier answers to the question on a card, if the card has a single asker. Several askers may be in
 * projects with different answers.
 */
function memoryFor(app: App, card: InboxCard | null): QuestionMemory | null {
  const [asker, ...others] = card?.askers ?? [];
  if (card?.about !== 'question' || asker === undefined || others.length > 0) return null;
  return app.memories.of(app.model.view.get(asker.slug) ?? null, card.question);
}

/** Creates what knows which part of the inbox the user has had the time to read. */
function createReading({ options, changed }: App) {
  let drawn: Drawn | null = null;
  let stopTimer = (): void => undefined;
  const isLongSince = (since: number | null | undefined): boolean =>
    since != null && options.now() >= since + READING_MS;
  /** Draws again once the keys have an effect. */
  const drawSoon = (): void => {
    stopTimer();
    stopTimer = options.startTimer(changed, READING_MS);
  };
  return {
    isReadable: (key: string): boolean => drawn?.key === key && isLongSince(drawn.since),
    isSuggested: (): boolean => isLongSince(drawn?.suggestedSince),
    isReadToEnd: (): boolean => drawn?.isRead === true,
    /** Call this before a card is drawn, or null if there is none. @returns whether it is another card than before */
    begin(key: string | null): boolean {
      const isOther = drawn?.key !== key;
      if (key === null) drawn = null;
      else if (isOther) {
        drawn = { key, since: options.now(), isRead: false, suggestedSince: null };
        drawSoon();
      }
      return isOther;
    },
    /** Call this when the card has been drawn. */
    note({ isEnd, hasSuggestion }: { isEnd: boolean; hasSuggestion: boolean }): void {
      if (drawn === null) return;
      if (isEnd) drawn.isRead = true;
      if (!hasSuggestion) drawn.suggestedSince = null;
      else if (isEnd && drawn.suggestedSince === null) {
        drawn.suggestedSince = options.now();
        drawSoon();
      }
    },
    stop: (): void => stopTimer(),
  };
}

/** Creates the page of the inbox, which knows what the user has read, and gives answers. */
export function createInbox(app: App) {
  const { model } = app;
  const hold = holdOf(app);
  let skipped: readonly string[] = [];
  let shownId: string | null = null;
  const pager = createPager();
  const reading = createReading(app);

  const cards = (): InboxCard[] => inboxCards(model.view.values(), { leaving: hold.leaving(), skipped });
  /** Do not replace the question that the user is reading, even if another one becomes more urgent. */
  const current = (): InboxCard | null => {
    const all = cards();
    const card = all.find(({ askers }) => askers.some((asker) => idOf(asker) === shownId)) ?? all[0] ?? null;
    const [first] = card?.askers ?? [];
    shownId = first === undefined ? null : idOf(first);
    return card;
  };
  /** Returns the card that the picture shows, if it is a session's question. */
  const currentQuestion = (): QuestionCard | null => {
    const card = current();
    return card?.about === 'question' ? card : null;
  };
  /** Returns why keys have no effect on a card at the moment, or null if they have. */
  const refusalOfKeys = (key: string): string | null => {
    if (!model.link.isUp) return 'The server does not respond; nothing was sent';
    return reading.isReadable(key) ? null : 'This question is new; read it first';
  };
  /** Returns why the user cannot give this answer at the moment, or null if the user can. */
  const refusalOf = ({ key, question }: QuestionCard, answer: GivenAnswer): string | null => {
    const refusal = refusalOfKeys(key);
    if (refusal !== null) return refusal;
    if (!mayAllow(question, answer)) return null;
    if (question.cut === true) return cutText('Enter, then t opens its terminal');
    return reading.isReadToEnd() ? null : 'Read the question to the end first: Space scrolls';
  };
  const giveHeld = (held: HeldAnswer, refusal: string | null): boolean => {
    if (refusal !== null) {
      app.toast('wait', refusal);
      return false;
    }
    pager.toTop();
    hold.give(held);
    const names = held.card.askers.map(({ slug }) => slug).join(', ');
    app.toast('wait', `${names}: ${held.said} — sent in 3 s, u takes it back`);
    return true;
  };
  /** Gives an answer to the card that the picture shows. @returns whether it will be sent */
  const give = (answer: GivenAnswer, said: string): boolean => {
    const card = currentQuestion();
    return card !== null && giveHeld({ card, answer, said }, refusalOf(card, answer));
  };
  return {
    ...{ current, currentQuestion, refusalOf, give, scroll: pager.onKey },
    ...{ isReadable: reading.isReadable, isSuggested: reading.isSuggested, stop: reading.stop },
    memoryOf: (card: InboxCard | null) => memoryFor(app, card),
    isHeld: () => hold.held().length > 0,
    continueAll() {
      const card = current();
      if (card?.about === 'limit') giveHeld({ card, answer: null, said: 'continue' }, refusalOfKeys(card.key));
    },
    takeBack() {
      const [back] = hold.undo()?.card.askers ?? [];
      if (back === undefined) return app.toast('bad', 'There is no answer to take back');
      shownId = idOf(back);
      app.toast('good', 'taken back; nothing was sent');
    },
    skip() {
      const ids = (current()?.askers ?? []).map(idOf);
      skipped = [...skipped.filter((id) => !ids.includes(id)), ...ids];
      shownId = null;
      pager.toTop();
    },
    page(cols: number, rows: number): Page {
      const card = current();
      const { length } = cards();
      const isOther = reading.begin(card?.key ?? null);
      if (card === null) return { title: 'Inbox', rows: ['', ' No session has a question.'] };
      if (isOther) pager.toTop();
      const memory = memoryFor(app, card);
      const lines = cardLines(app, card, { memory, cols });
      const { isEnd, more, rows: shown } = pager.show(lines, rows);
      reading.note({ isEnd, hasSuggestion: memory?.suggestion != null });
      const questions = length === 1 ? 'one question' : `${length} questions`;
      return { title: `Inbox: ${questions}${more}`, rows: shown };
    },
  };
}
