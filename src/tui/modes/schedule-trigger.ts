import type { NewTrigger, Schedule, ScheduleTrigger } from '../../protocol/index.ts';
import { TRIGGER_SECRET_TEXT } from '../../text/schedule-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import type { Binding } from './binding.ts';
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
  const row = (key: string, does: string, act: () => Promise<void>): Binding => ({
    ...{ keys: [key], does },
    run: () =>
      app.run(async () => {
        await act();
        app.changed();
      }),
  });
  const keys = [
    row('c', 'create, or replace the secret', async () => {
      made = await app.client.call('createTrigger', { params });
      trigger = made;
    }),
    row('d', 'remove', async () => {
      if (trigger === null) return;
      await app.client.call('removeTrigger', { params });
      trigger = null;
      made = null;
    }),
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
    { keys, onLeave: () => back(name) },
  );
}
