import type { InboxCard } from '../../client/index.ts';
import { type Question, takesNumbers } from '../../protocol/index.ts';
import { NO_NUMBERS_TEXT } from '../../text/form-words.ts';
import { suggestionText } from '../../text/memory-words.ts';
import type { App } from '../app.ts';
import { type Editor, EMPTY_EDITOR, edit } from '../input/editor.ts';
import { showAlways } from './always.ts';
import { type Binding, keysFor, keysOf } from './binding.ts';
import { fillForm, formHints, isFillable } from './fill-form.ts';
import { createInbox } from './inbox-state.ts';
import { PAGER_KEYS } from './pager-keys.ts';

/** What the keys of the inbox act on. */
interface Opened {
  app: App;
  inbox: ReturnType<typeof createInbox>;
  leave(): void;
  /** opens another page, from which the user comes back to the inbox */
  openFromHere(open: (onLeave: () => void) => void): void;
  /** lets the user answer the card in words */
  write(key: string): void;
}

type Words = string | null;

/** Returns the words of a hint about the card that is shown. */
const ofCard =
  (does: (card: InboxCard, opened: Opened) => Words) =>
  (opened: Opened): Words => {
    const card = opened.inbox.current();
    return card === null ? null : does(card, opened);
  };

const ofQuestion = (does: (question: Question) => Words) =>
  ofCard((card) => (card.about === 'question' ? does(card.question) : null));

/** Like {@link ofQuestion}, but only after the question has been visible for a moment. */
const ofAnswer = (does: (question: Question, opened: Opened) => Words) =>
  ofCard((card, opened) =>
    card.about === 'question' && opened.inbox.isReadable(card.key) ? does(card.question, opened) : null,
  );

function yesOrNo(question: Question, key: 'y' | 'n'): Words {
  if (question.kind === 'permission' || question.kind === 'plan') return key === 'y' ? 'yes' : 'no';
  if (question.form === undefined) return null;
  return formHints(question).find(([name]) => name === key)?.[1] ?? null;
}

const CHOICES = { y: 'yes', n: 'no', a: 'always' } as const;

function sayYesOrNo({ app, inbox }: Opened, key: keyof typeof CHOICES): void {
  const choice = CHOICES[key];
  const kind = inbox.currentQuestion()?.question.kind;
  const isForm = kind === 'form' && choice !== 'always';
  if (kind === 'permission' || kind === 'plan' || isForm) inbox.give({ choice }, choice);
  else app.toast('bad', "This isn't a yes-or-no question; answer it with a number or with s");
}

function answerAgain({ app, inbox }: Opened): void {
  const card = inbox.currentQuestion();
  const suggestion = inbox.memoryOf(card)?.suggestion ?? null;
  if (card === null || suggestion === null) app.toast('bad', 'There is no earlier answer to repeat');
  else if (inbox.isSuggested()) inbox.give(suggestion, suggestionText(card.question, suggestion));
  else app.toast('wait', 'This suggestion is new; read it to the end first');
}

function chooseReach({ app, inbox, openFromHere }: Opened): void {
  const card = inbox.currentQuestion();
  const [first, ...others] = card?.askers ?? [];
  if (card === null || first === undefined || card.question.kind !== 'permission') return;
  const refusal = inbox.refusalOf(card, { choice: 'always' });
  if (refusal !== null) app.toast('wait', refusal);
  else if (others.length > 0) app.toast('bad', 'Several sessions ask this question: Enter opens the first one');
  else openFromHere((onLeave) => showAlways(app, { slug: first.slug, question: card.question }, onLeave));
}

function choose({ app, inbox }: Opened, number: number): void {
  const question = inbox.currentQuestion()?.question;
  const option = question?.options[number - 1];
  if (question === undefined) return;
  if (!takesNumbers(question)) app.toast('bad', NO_NUMBERS_TEXT);
  else if (question.multi || question.questions.length > 1)
    app.toast('bad', 'This question needs several answers: Enter opens it');
  else if (option === undefined) app.toast('bad', `There is no option ${number}`);
  else inbox.give({ choice: number }, option.label);
}

function writeOrFill({ app, inbox, openFromHere, write }: Opened): void {
  const card = inbox.currentQuestion();
  const [first] = card?.askers ?? [];
  if (card === null || first === undefined) return;
  const { question } = card;
  if (isFillable(question)) openFromHere((onLeave) => fillForm(app, { slug: first.slug, question }, onLeave));
  else if (question.kind === 'form') app.toast('bad', 'This form has no fields to fill in here');
  else write(card.key);
}

function snooze({ app, inbox }: Opened): void {
  for (const { slug } of inbox.current()?.askers ?? [])
    app.run(async () => {
      await app.client.call('snoozeSession', { params: { slug }, body: { until_asks: true } });
      app.toast('good', `${slug} is snoozed until it asks again — :snooze wakes it`);
    });
}

function openSession({ app, inbox, leave }: Opened): void {
  const [first] = inbox.current()?.askers ?? [];
  leave();
  if (first !== undefined) app.select(first.slug);
}

/** The keys while a card is shown, in the footer's order. */
const INBOX_KEYS: readonly Binding<Opened>[] = [
  {
    keys: ['u'],
    does: ({ inbox }) => (inbox.isHeld() ? 'take it back' : null),
    run: ({ inbox }) => inbox.takeBack(),
  },
  { keys: ['.'], does: ofAnswer((_, { inbox }) => (inbox.isSuggested() ? 'as before' : null)), run: answerAgain },
  { keys: ['y'], does: ofAnswer((question) => yesOrNo(question, 'y')), run: (opened) => sayYesOrNo(opened, 'y') },
  { keys: ['n'], does: ofAnswer((question) => yesOrNo(question, 'n')), run: (opened) => sayYesOrNo(opened, 'n') },
  { keys: ['a'], run: (opened) => sayYesOrNo(opened, 'a') },
  { keys: ['A'], run: chooseReach },
  {
    keys: Array.from({ length: 9 }, (_, index) => String(index + 1)),
    label: ({ inbox }) => `1-${Math.min(9, inbox.currentQuestion()?.question.options.length ?? 9)}`,
    does: ofAnswer((question) => (question.options.length > 0 && takesNumbers(question) ? 'choose' : null)),
    run: (opened, key) => choose(opened, Number(key)),
  },
  {
    keys: ['s'],
    does: ofQuestion((question) => (isFillable(question) ? 'fill in' : question.kind === 'form' ? null : 'in words')),
    run: writeOrFill,
  },
  {
    keys: ['c'],
    does: ofCard(({ about, key }, { inbox }) => (about === 'limit' && inbox.isReadable(key) ? 'continue' : null)),
    run: ({ inbox }) => inbox.continueAll(),
  },
  { keys: ['tab'], does: ofCard(() => 'skip'), run: ({ inbox }) => inbox.skip() },
  { keys: ['Z'], does: ofCard(() => 'snooze'), run: snooze },
  { keys: PAGER_KEYS, label: 'j/k', does: ofCard(() => 'scroll'), run: ({ inbox }, key) => inbox.scroll(key) },
  { keys: ['enter'], does: ofCard(() => 'open it'), run: openSession },
  { keys: ['escape', 'q', 'ctrl+c'], does: 'leave', run: ({ leave }) => leave() },
];

/**
 * Shows one question at a time. A key answers a question only after the question has been visible for a moment. A yes
 * counts only if the user has read the question to its end.
 */
export function showInbox(app: App): void {
  const { model } = app;
  const wasZoomed = model.isZoomed;
  model.isZoomed = true;
  const inbox = createInbox(app);
  /** the text that the user is writing, and the card that it answers */
  let writing: { key: string; editor: Editor } | null = null;
  const quit = (): void => {
    inbox.stop();
    model.isZoomed = wasZoomed;
  };
  const send = (): void => {
    const { text } = writing?.editor ?? EMPTY_EDITOR;
    const card = inbox.currentQuestion();
    if (text.trim() === '') return;
    if (card === null || card.key !== writing?.key) {
      writing = null;
      app.toast('bad', 'Another question is open now; your text was not sent');
      return;
    }
    const saysNo = card.question.kind === 'permission' || card.question.kind === 'plan';
    const isGiven = inbox.give(saysNo ? { choice: 'no', text } : { text }, saysNo ? `no, ${text}` : text);
    if (isGiven) writing = null;
  };
  const stopWriting = (): void => {
    writing = null;
  };
  const opened: Opened = {
    ...{ app, inbox },
    leave() {
      quit();
      app.close();
    },
    openFromHere(open) {
      quit();
      open(() => showInbox(app));
    },
    write(key) {
      writing = { key, editor: EMPTY_EDITOR };
    },
  };
  const reading = keysFor(INBOX_KEYS, { of: opened, toast: app.toast });
  const writingKeys: Binding[] = [
    { keys: ['enter'], does: 'answer', run: send },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: stopWriting },
  ];
  const typing = keysOf(app, writingKeys, (event) => {
    const editor = edit(writing?.editor ?? EMPTY_EDITOR, event);
    if (editor !== null && writing !== null) writing = { ...writing, editor };
  });
  app.open({
    hints: () => (writing === null ? reading : typing).hints(),
    handle: (event) => (writing === null ? reading : typing).handle(event),
    page: inbox.page,
    input: () => ({
      title: 'Answer in your own words',
      mark: '> ',
      editor: writing?.editor ?? EMPTY_EDITOR,
      isActive: writing !== null,
    }),
  });
}
