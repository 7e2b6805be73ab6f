import {
  type GivenAnswer,
  type HeldAnswer,
  type InboxCard,
  idOf,
  inboxCards,
  type QuestionCard,
} from '../../client/index.ts';
import { mayAllow, type QuestionMemory, takesNumbers } from '../../protocol/index.ts';
import { NO_NUMBERS_TEXT } from '../../text/form-words.ts';
import { suggestionText } from '../../text/memory-words.ts';
import { cutText } from '../../text/tool-input-text.ts';
import type { App } from '../app.ts';
import { type Editor, EMPTY_EDITOR, edit } from '../input/editor.ts';
import { createPager } from '../list.ts';
import { READING_MS } from '../model.ts';
import type { InputEvent } from '../terminal/keys.ts';
import { showAlways } from './always.ts';
import { fillForm, isFillable } from './fill-form.ts';
import { cardLines, hintsFor } from './inbox-card.ts';
import { holdOf } from './inbox-hold.ts';

/** The card that the picture shows, and whether its end was visible. */
interface Drawn {
  key: string;
  since: number;
  isRead: boolean;
  /** since when the picture has shown the suggestion to answer as before, or null if it does not show it */
  suggestedSince: number | null;
}

/** The text that the user is writing as an answer to a card. */
interface Writing {
  key: string;
  editor: Editor;
}

/**
 * Shows one question at a time. A key answers a question only after the question has been visible for a moment. A yes
 * counts only if the user has read the question to its end.
 */
export function showInbox(app: App): void {
  const { model } = app;
  const hold = holdOf(app);
  const wasZoomed = model.isZoomed;
  model.isZoomed = true;
  let skipped: readonly string[] = [];
  let shownId: string | null = null;
  let drawn: Drawn | null = null;
  let writing: Writing | null = null;
  const pager = createPager();

  const cards = (): InboxCard[] => inboxCards(model.view.values(), { leaving: hold.leaving(), skipped });
  /** Do not replace the question that the user is reading, even if another one becomes more urgent. */
  const current = (): InboxCard | null => {
    const all = cards();
    const card = all.find(({ askers }) => askers.some((asker) => idOf(asker) === shownId)) ?? all[0] ?? null;
    const [first] = card?.askers ?? [];
    shownId = first === undefined ? null : idOf(first);
    return card;
  };
  let stopReading = (): void => undefined;
  const isReadable = (key: string): boolean => drawn?.key === key && app.options.now() >= drawn.since + READING_MS;
  const quit = (): void => {
    stopReading();
    model.isZoomed = wasZoomed;
  };
  const leave = (): void => {
    quit();
    app.close();
  };
  /** Opens another page, from which the user comes back to the inbox. */
  const openFromHere = (open: (onLeave: () => void) => void): void => {
    quit();
    open(() => showInbox(app));
  };
  /** Returns the card that the picture shows, if it is a session's question. */
  const currentQuestion = (): QuestionCard | null => {
    const card = current();
    return card?.about === 'question' ? card : null;
  };
  /**
   * Returns the earlier answers to the question on a card, if the card has a single asker. Several askers may be in
   * projects with different answers.
   */
  const memoryOf = (card: InboxCard | null): QuestionMemory | null => {
    const [asker, ...others] = card?.askers ?? [];
    if (card?.about !== 'question' || asker === undefined || others.length > 0) return null;
    const session = model.view.get(asker.slug);
    return app.memories.of(session ?? null, card.question);
  };
  const isSuggested = (): boolean =>
    drawn !== null && drawn.suggestedSince !== null && app.options.now() >= drawn.suggestedSince + READING_MS;
  /** Returns why keys have no effect on a card at the moment, or null if they have. */
  const refusalOfKeys = (key: string): string | null => {
    if (!model.link.isUp) return 'The server does not respond; nothing was sent';
    return isReadable(key) ? null : 'This question is new; read it first';
  };
  /** Returns why the user cannot give this answer at the moment, or null if the user can. */
  const refusalOf = ({ key, question }: QuestionCard, answer: GivenAnswer): string | null => {
    const refusal = refusalOfKeys(key);
    if (refusal !== null) return refusal;
    if (!mayAllow(question, answer)) return null;
    if (question.cut === true) return cutText('Enter, then t opens its terminal');
    return drawn?.isRead === true ? null : 'Read the question to the end first: Space scrolls';
  };
  const giveHeld = (held: HeldAnswer, refusal: string | null): void => {
    if (refusal !== null) {
      app.toast('wait', refusal);
      return;
    }
    writing = null;
    pager.toTop();
    hold.give(held);
    const names = held.card.askers.map(({ slug }) => slug).join(', ');
    app.toast('wait', `${names}: ${held.said} — sent in 3 s, u takes it back`);
  };
  const give = (answer: GivenAnswer, said: string): void => {
    const card = currentQuestion();
    if (card !== null) giveHeld({ card, answer, said }, refusalOf(card, answer));
  };
  const choose = (number: number): void => {
    const question = currentQuestion()?.question;
    const option = question?.options[number - 1];
    if (question === undefined) return;
    if (!takesNumbers(question)) app.toast('bad', NO_NUMBERS_TEXT);
    else if (question.multi || question.questions.length > 1)
      app.toast('bad', 'This question needs several answers: Enter opens it');
    else if (option === undefined) app.toast('bad', `There is no option ${number}`);
    else give({ choice: number }, option.label);
  };
  const sayYesOrNo = (choice: 'yes' | 'no' | 'always'): void => {
    const kind = currentQuestion()?.question.kind;
    const isForm = kind === 'form' && choice !== 'always';
    if (kind === 'permission' || kind === 'plan' || isForm) give({ choice }, choice);
    else app.toast('bad', "This isn't a yes-or-no question; answer it with a number or with s");
  };
  const keys: Readonly<Record<string, () => void>> = {
    y: () => sayYesOrNo('yes'),
    n: () => sayYesOrNo('no'),
    a: () => sayYesOrNo('always'),
    '.': () => {
      const card = currentQuestion();
      const suggestion = memoryOf(card)?.suggestion ?? null;
      if (card === null || suggestion === null) app.toast('bad', 'There is no earlier answer to repeat');
      else if (isSuggested()) give(suggestion, suggestionText(card.question, suggestion));
      else app.toast('wait', 'This suggestion is new; read it to the end first');
    },
    A: () => {
      const card = currentQuestion();
      const [first, ...others] = card?.askers ?? [];
      if (card === null || first === undefined || card.question.kind !== 'permission') return;
      const refusal = refusalOf(card, { choice: 'always' });
      if (refusal !== null) app.toast('wait', refusal);
      else if (others.length > 0) app.toast('bad', 'Several sessions ask this question: Enter opens the first one');
      else openFromHere((onLeave) => showAlways(app, { slug: first.slug, question: card.question }, onLeave));
    },
    c: () => {
      const card = current();
      if (card?.about === 'limit') giveHeld({ card, answer: null, said: 'continue' }, refusalOfKeys(card.key));
    },
    s: () => {
      const card = currentQuestion();
      const [first] = card?.askers ?? [];
      if (card === null || first === undefined) return;
      const { question } = card;
      if (isFillable(question))
        return openFromHere((onLeave) => fillForm(app, { slug: first.slug, question }, onLeave));
      if (question.kind === 'form') return app.toast('bad', 'This form has no fields to fill in here');
      writing = { key: card.key, editor: EMPTY_EDITOR };
      app.changed();
    },
    u: () => {
      const taken = hold.undo();
      const [back] = taken?.card.askers ?? [];
      if (back === undefined) return app.toast('bad', 'There is no answer to take back');
      shownId = idOf(back);
      app.toast('good', 'taken back; nothing was sent');
    },
    tab: () => {
      const ids = (current()?.askers ?? []).map(idOf);
      skipped = [...skipped.filter((id) => !ids.includes(id)), ...ids];
      shownId = null;
      pager.toTop();
    },
    Z: () => {
      const card = current();
      for (const { slug } of card?.askers ?? [])
        app.run(async () => {
          await app.client.call('snoozeSession', { params: { slug }, body: { until_asks: true } });
          app.toast('good', `${slug} is snoozed until it asks again — :snooze wakes it`);
        });
    },
    enter: () => {
      const [first] = current()?.askers ?? [];
      leave();
      if (first !== undefined) app.select(first.slug);
    },
    escape: leave,
    q: leave,
    'ctrl+c': leave,
  };
  const write = (event: InputEvent, words: Writing): void => {
    const name = event.kind === 'key' ? event.name : null;
    if (name === 'escape' || name === 'ctrl+c') writing = null;
    else if (name === 'enter') {
      const { text } = words.editor;
      const card = currentQuestion();
      if (text.trim() === '') return;
      if (card?.key !== words.key) {
        writing = null;
        app.toast('bad', 'Another question is open now; your text was not sent');
      } else {
        const saysNo = card.question.kind === 'permission' || card.question.kind === 'plan';
        give(saysNo ? { choice: 'no', text } : { text }, saysNo ? `no, ${text}` : text);
      }
    } else {
      const editor = edit(words.editor, event);
      if (editor !== null) writing = { ...words, editor };
    }
    app.changed();
  };

  app.open({
    hints: () => {
      const card = current();
      const isReady = card !== null && isReadable(card.key);
      return hintsFor(card, {
        ...{ isWriting: writing !== null, isHeld: hold.held().length > 0, isReady },
        isSuggested: isSuggested(),
      });
    },
    handle(event) {
      if (writing !== null) return write(event, writing);
      if (event.kind !== 'key') return;
      const key = keys[event.name];
      if (key !== undefined) return key();
      if (/^[1-9]$/.test(event.name)) choose(Number(event.name));
      else pager.onKey(event.name);
    },
    page(cols, rows) {
      const card = current();
      const all = cards();
      if (card === null) {
        drawn = null;
        return { title: 'Inbox', rows: ['', ' No session has a question.'] };
      }
      const memory = memoryOf(card);
      const lines = cardLines(app, card, { memory, cols });
      if (drawn?.key !== card.key) {
        drawn = { key: card.key, since: app.options.now(), isRead: false, suggestedSince: null };
        pager.toTop();
        stopReading();
        stopReading = app.options.startTimer(app.changed, READING_MS);
      }
      const { isEnd, more, rows: shown } = pager.show(lines, rows);
      if (isEnd) drawn.isRead = true;
      if (memory?.suggestion == null) drawn.suggestedSince = null;
      else if (isEnd && drawn.suggestedSince === null) {
        drawn.suggestedSince = app.options.now();
        stopReading();
        stopReading = app.options.startTimer(app.changed, READING_MS);
      }
      const questions = all.length === 1 ? 'one question' : `${all.length} questions`;
      return { title: `Inbox: ${questions}${more}`, rows: shown };
    },
    input: () => ({
      title: 'Answer in your own words',
      mark: '> ',
      editor: writing?.editor ?? EMPTY_EDITOR,
      isActive: writing !== null,
    }),
  });
}
