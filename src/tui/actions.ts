import {
  type Answer,
  elsewhereOf,
  mayAllow,
  type Question,
  type SeenSession,
  type Session,
  type StashedResponse,
  takesNumbers,
} from '../protocol/index.ts';
import { broadcastLine, deliveryLine } from '../text/delivery-text.ts';
import { interruptClosesForm, NO_NUMBERS_TEXT } from '../text/form-words.ts';
import { firstLine, queueText } from '../text/session-words.ts';
import { cutText } from '../text/tool-input-text.ts';
import { type App, requireSelected } from './app.ts';
import { editorOf } from './input/editor.ts';
import { isParked } from './lifecycle.ts';
import {
  answerDraft,
  dialogOf,
  draftOf,
  isReadable,
  isSeenWhole,
  openPart,
  questionOf,
  selectedSession,
  shownQuestion,
} from './model.ts';
import { showAlways } from './modes/always.ts';

type StashWhen = StashedResponse['when'];

export interface SendOptions {
  text: string;
  queue?: boolean;
  /** whether the text is a command for Claude Code (`/model`) or for a shell (`!ls`) */
  command?: boolean;
}

/**
 * Sends a message to a session's prompt. If a dialog is open, the message is sent as an answer in the user's own words.
 * The unsent text is kept until the message has been sent.
 */
export function sendText(app: App, session: Session, { text, queue = false, command = false }: SendOptions): void {
  const { slug } = session;
  const dialog = queue || command ? null : dialogOf(app.model, session);
  if (dialog !== null && !isSeen(app, dialog, { text })) return;
  app.toast('wait', `${dialog === null ? 'sending to' : 'answering'} ${slug}…`);
  app.run(async () => {
    if (dialog !== null) {
      await app.client.call('answer', { params: { slug }, body: { text, question_id: dialog.id } });
      app.toast('good', `${slug} was answered: ${firstLine(text)}`);
    } else {
      const body = { text, ...(queue ? { queue } : {}), ...(command ? { command } : {}) };
      const delivery = await app.client.call('send', { params: { slug }, body });
      app.toast(delivery.status === 'failed' ? 'bad' : 'good', deliveryLine(delivery));
    }
    // Keep any text that the user has typed in the meantime.
    if (draftOf(app.model, slug).text === editorOf(text).text) app.model.drafts.delete(slug);
  });
}

/**
 * Stores a draft. @param when `next_waiting` means that CBOS sends the draft as soon as the session waits for a prompt
 */
export function stashText(app: App, session: Session, { text, when }: { text: string; when: StashWhen }): void {
  const { slug } = session;
  app.run(async () => {
    const question = questionOf(app.model, session)?.text;
    await app.client.call('addStash', {
      body: { session_slug: slug, response: text, when, ...(question === undefined ? {} : { question }) },
    });
    app.model.drafts.delete(slug);
    const goes = when === 'manual' ? `kept as a draft for ${slug}` : `${slug} gets this as soon as it is ready`;
    app.toast('good', `${goes} — S shows the drafts`);
  });
}

/** Answers the dialog that is open in the selected session. */
export function answer(app: App, answering: Pick<Answer, 'choice' | 'text' | 'answers'>, said: string): void {
  const session = requireSelected(app);
  if (session === null) return;
  const { slug } = session;
  const question = shownQuestion(app.model);
  if (question === null) {
    app.toast('bad', `${slug} has no open question — s writes to it`);
    return;
  }
  if (!isRead(app, slug) || !isSeen(app, question, answering)) return;
  app.toast('wait', `answering ${slug}…`);
  app.run(async () => {
    await app.client.call('answer', { params: { slug }, body: { ...answering, question_id: question.id } });
    app.model.answer = null;
    app.toast('good', `${slug} was answered: ${said}`);
  });
}

/** Lets the user choose how far a yes to a permission request applies, once the user has seen the whole request. */
export function chooseAlways(app: App): void {
  const session = requireSelected(app);
  const question = shownQuestion(app.model);
  if (session === null || question?.kind !== 'permission') {
    app.toast('bad', 'This session has no open permission request');
    return;
  }
  const { slug } = session;
  if (isRead(app, slug) && isSeen(app, question, { choice: 'always' })) {
    showAlways(app, { slug, question }, () => app.close());
  }
}

/** Reports whether the user has seen the question. If not, it also shows a message. */
function isRead(app: App, slug: string): boolean {
  if (isReadable(app.model, app.options.now())) return true;
  app.toast('wait', `${slug} now asks something else; read the new question first`);
  return false;
}

/**
 * Reports whether the user may allow the call, which requires that the call is shown in full. If not, it also shows a
 * message.
 */
function isSeen(app: App, question: Question, answering: Pick<Answer, 'choice' | 'text'>): boolean {
  if (!mayAllow(question, answering)) return true;
  if (question.cut === true) app.toast('bad', cutText('t opens it'));
  else if (isSeenWhole(app.model, question)) return true;
  else app.toast('wait', 'Read the question to the end first: v shows all of it');
  return false;
}

/**
 * Handles the number of an option. The option is chosen immediately, unless the question accepts several options, which
 * are marked first, or the dialog has several questions, which are answered together at the end.
 */
export function chooseOption(app: App, number: number): void {
  const session = selectedSession(app.model);
  const question = shownQuestion(app.model);
  if (session === null || question === null) {
    answer(app, { choice: number }, '');
    return;
  }
  if (!isRead(app, session.slug)) return;
  if (!takesNumbers(question)) {
    app.toast('bad', NO_NUMBERS_TEXT);
    return;
  }
  const draft = answerDraft(question, app.model.answer);
  const part = openPart(question, draft);
  const option = part.options[number - 1];
  if (option === undefined) {
    app.toast(
      'bad',
      part.options.length === 0
        ? 'This question has no options — s lets you answer in your own words'
        : `There is no option ${number}`,
    );
    return;
  }
  if (part.multi) {
    const chosen = new Set(draft.chosen);
    if (!chosen.delete(number)) chosen.add(number);
    app.model.answer = { ...draft, chosen };
    app.changed();
    return;
  }
  if (question.questions.length < 2) answer(app, { choice: number }, option.label);
  else nextPart(app, option.label);
}

/** Submits the options that are marked. @returns false if no option is marked */
export function submitChosen(app: App, session: Session): boolean {
  const question = shownQuestion(app.model);
  if (question === null) return false;
  const draft = answerDraft(question, app.model.answer);
  if (draft.chosen.size === 0) return false;
  if (!isRead(app, session.slug)) return true;
  const numbers = [...draft.chosen].sort((one, other) => one - other);
  const labels = numbers.map((number) => openPart(question, draft).options[number - 1]?.label ?? '');
  if (question.questions.length < 2) answer(app, { choice: numbers }, labels.join(', '));
  else nextPart(app, labels);
  return true;
}

function nextPart(app: App, answered: string | string[]): void {
  const question = shownQuestion(app.model);
  if (question === null) return;
  const draft = answerDraft(question, app.model.answer);
  const answers = { ...draft.answers, [openPart(question, draft).text]: answered };
  const part = draft.part + 1;
  app.model.answer = { ...draft, part: Math.min(part, question.questions.length - 1), chosen: new Set(), answers };
  if (part >= question.questions.length) answer(app, { answers }, Object.values(answers).flat().join(', '));
  app.changed();
}

export function interrupt(app: App, session: SeenSession): void {
  app.run(async () => {
    await app.client.call('interrupt', { params: { slug: session.slug } });
    const { slug, view } = session;
    if (view !== undefined) app.toast('good', `The view of ${slug} was closed`);
    else app.toast('good', interruptClosesForm(session) ? `The form of ${slug} was closed` : `${slug} was interrupted`);
  });
}

/** Continues a session whose usage limit has ended, or otherwise resumes a queue that was paused by an interrupt. */
export function continueSession(app: App, session: SeenSession): void {
  if (session.limit_over_at === undefined) {
    resumeQueue(app, session);
    return;
  }
  app.run(async () => {
    await app.client.call('continueSession', { params: { slug: session.slug } });
    app.toast('good', `${session.slug} continues after its usage limit`);
  });
}

function resumeQueue(app: App, session: Session): void {
  if (queueText(session) === '') {
    app.toast('good', `${session.slug}: the queue is not paused`);
    return;
  }
  app.run(async () => {
    await app.client.call('resumeQueue', { params: { slug: session.slug } });
    app.toast('good', `${session.slug}: the queue continues as soon as the session is ready`);
  });
}

export function attach(app: App, session: SeenSession): void {
  const elsewhere = elsewhereOf(session);
  if (elsewhere !== null && session.type === 'json') {
    app.toast('bad', `${session.slug}: this works only on ${elsewhere.machine}`);
    return;
  }
  const { slug, type, screen_id: screenId, status } = session;
  if (status.primary === 'dead' || (screenId === null && type !== 'json')) {
    const why = status.primary === 'dead' ? ': the session is stopped — r restarts it' : '';
    app.toast('bad', `${slug} has no terminal${why}`);
    return;
  }
  // Wake a parked session first, as `cbos attach` does.
  const isRunHere = screenId === null || isParked(session) || elsewhere !== null;
  app.run(async () => {
    // Give a JSON session a temporary terminal, as `cbos attach` does.
    const { attach: attachTo, runHere } = app.host;
    await app.lendTerminal(() => (isRunHere ? runHere(['attach', slug]) : attachTo(screenId)));
    app.toast('good', `back from ${slug}, which keeps running`);
  });
}

export function refresh(app: App): void {
  app.refresh();
  app.toast('good', 'refreshed');
}

export function broadcast(app: App, text: string): void {
  app.toast('wait', 'sending to all…');
  app.run(async () => {
    const results = await app.client.call('broadcast', { body: { text, all: true } });
    const failed = results.filter(({ error }) => error !== undefined);
    const [first] = failed;
    const done = `${results.length - failed.length} of ${results.length} sessions got it`;
    app.toast(first === undefined ? 'good' : 'bad', first === undefined ? done : `${done}; ${broadcastLine(first)}`);
  });
}

/**
 * Warns the user if the server's version differs from this program's, because the server may not support all requests.
 */
export function compareVersions(app: App): void {
  app.run(async () => {
    const { version } = await app.client.call('health');
    const own = app.options.version;
    if (version !== own)
      app.toast('bad', `this is version ${own}, but the server is ${version} — cbos down && cbos up`);
  });
}
