import type { NewSnooze, SeenSession, Session } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { snoozeChoices, snoozeText, WAKE_TIME_FORMS, wakeTime } from '../../text/snooze-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { EMPTY_EDITOR } from '../input/editor.ts';
import { wrap } from '../view/cells.ts';

/** Asks the user how long to snooze the selected session, with a key for each choice. `/snooze` accepts any time. */
export function chooseSnooze(app: App, session: SeenSession): void {
  const choices = snoozeChoices(app.options.now());
  const rows: (readonly [key: string, does: string])[] = choices.map(({ key, does }) => [key, does]);
  if (session.snoozed != null) rows.push(['w', 'wake it']);
  app.open({
    hints: () => [
      [rows.map(([key]) => key).join(' '), 'choose'],
      ['Esc', 'leave'],
    ],
    page: (cols) => ({
      title: `Snooze ${cleanLine(session.slug)} until…`,
      rows: [
        '',
        ...rows.map(([key, does]) => `   ${app.dress('bold', key)}   ${truncate(does, Math.max(0, cols - 8))}`),
        '',
        ...wrap(
          `:snooze accepts a time (${WAKE_TIME_FORMS}), or the name of a session to wait for`,
          Math.max(10, cols - 4),
        ).map((row) => `   ${app.dress('dim', row)}`),
      ],
    }),
    handle(event) {
      // The mouse wheel also sends these keys.
      if (event.kind !== 'key' || event.name === 'up' || event.name === 'down') return;
      app.close();
      const chosen = choices.find(({ key }) => key === event.name);
      if (chosen !== undefined) snooze(app, session, chosen.rule);
      else if (event.name === 'w' && session.snoozed != null) wakeSession(app, session);
    },
    input: () => ({ title: '', mark: `Snooze ${session.slug} until `, editor: EMPTY_EDITOR, isActive: true }),
  });
}

/** Runs `:snooze 17:00` or `:snooze BUILD`. Without any words, the command shows the choices. */
export function snoozeByWords(app: App, session: SeenSession, words: string): void {
  if (words === '') {
    chooseSnooze(app, session);
    return;
  }
  const at = wakeTime(words, app.options.now());
  if (at !== null) snooze(app, session, { until: new Date(at).toISOString() });
  else if (app.model.view.has(words)) snooze(app, session, { until_ends: [words] });
  else app.toast('bad', `${words} is neither a time nor a session — ${WAKE_TIME_FORMS}`);
}

function snooze(app: App, { slug }: Session, body: NewSnooze): void {
  app.run(async () => {
    const { snoozed } = await app.client.call('snoozeSession', { params: { slug }, body });
    app.toast('good', `${slug} is ${snoozed === null ? 'awake' : snoozeText(snoozed)}`);
  });
}

function wakeSession(app: App, { slug }: Session): void {
  app.run(async () => {
    await app.client.call('unsnoozeSession', { params: { slug } });
    app.toast('good', `${slug} is awake`);
  });
}

/** Marks the selected session as unread, or as read if it is already unread. */
export function toggleUnread(app: App, session: SeenSession): void {
  const { slug, unread, news } = session;
  app.run(async () => {
    if (unread) await app.client.call('markSeen', { params: { slug }, body: { news } });
    else await app.client.call('markUnseen', { params: { slug } });
    app.toast('good', `${slug} is now ${unread ? 'read' : 'unread'}`);
  });
}
