import type { NewTrigger, Schedule, ScheduleTrigger } from '../../protocol/index.ts';
import { TRIGGER_SECRET_TEXT } from '../../text/schedule-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import type { Hint } from './mode.ts';
import { showPage } from './text-page.ts';

const ABOUT =
  'Another program can run this schedule with a signed request. The content of the request is never sent to a session.';

/**
 * Shows the address to which another program posts in order to run a schedule. The user can create, renew, and remove
 * the trigger's secret here.
 */
export function showTrigger(app: App, { name, ...schedule }: Schedule, back: (name: string) => void): void {
  // An older server does not support triggers.
  let trigger: ScheduleTrigger | null = schedule.trigger ?? null;
  let made: NewTrigger | null = null;
  const params = { name };
  const keys: Readonly<Record<string, () => Promise<void>>> = {
    c: async () => {
      made = await app.client.call('createTrigger', { params });
      trigger = made;
    },
    d: async () => {
      if (trigger === null) return;
      await app.client.call('removeTrigger', { params });
      trigger = null;
      made = null;
    },
  };
  const hints = (): Hint[] => [
    ['c', 'create, or replace the secret'],
    ['d', 'remove'],
    ['Esc', 'back to the schedules'],
  ];
  const lines = (): string[] => [
    ABOUT,
    '',
    ...(trigger === null ? ['No webhook can run this schedule.'] : [`Address: ${trigger.url}`]),
    ...(made === null ? [] : [`Secret:  ${made.secret}`, '', `${TRIGGER_SECRET_TEXT}.`]),
  ];
  showPage(
    app,
    `Webhook of ${cleanLine(name)}`,
    (cols) => ['', ...lines().flatMap((line) => wrap(cleanLine(line), cols - 4))].map((line) => `   ${line}`),
    {
      hints: hints(),
      onKey: (key) => {
        const act = keys[key];
        if (act === undefined) return false;
        app.run(async () => {
          await act();
          app.changed();
        });
        return true;
      },
      onLeave: () => back(name),
    },
  );
}
