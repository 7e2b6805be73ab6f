import { followRestoration, RESTORATION_ASK_MS } from '../../client/index.ts';
import type { Restoration } from '../../protocol/index.ts';
import { restoredText, untriedText } from '../../text/restore-words.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import { showPage } from './text-page.ts';

/** Runs `/restore`, which shows what restoring the lost sessions would do. `y` starts the restoration. */
export function restoreLost(app: App): void {
  app.run(async () => {
    const plan = await app.client.call('restore', { body: { dry_run: true } });
    const planned = plan.sessions.filter(({ outcome }) => outcome === 'planned').map(({ session }) => session);
    showPage(app, 'Lost sessions', (cols) => linesOf(plan, cols), {
      keys: [
        {
          keys: ['y'],
          does: planned.length === 1 ? 'bring it back' : `bring ${planned.length} back`,
          disabled: () => (planned.length === 0 ? 'No session can be brought back' : null),
          run: () => begin(app, planned),
        },
      ],
    });
  });
}

/**
 * Starts a restoration, and shows its progress instead of the plan. The restoration continues even if the user leaves
 * the page.
 */
function begin(app: App, sessions: string[]): void {
  let isGone = false;
  app.run(async () => {
    const begun = await app.client.call('restore', { body: { sessions } });
    let now = begun;
    showPage(app, 'Lost sessions', (cols) => linesOf(now, cols), {
      onLeave: () => {
        isGone = true;
        app.close();
      },
    });
    const ended = await followRestoration({
      client: app.client,
      begun,
      wait: () => new Promise((resolve) => void app.options.startTimer(resolve, RESTORATION_ASK_MS)),
      onProgress: (progress) => {
        now = progress;
        app.changed();
      },
      isGone: () => isGone,
    });
    if (ended === null) app.toast('bad', 'The server was restarted — /restore continues');
  });
}

function linesOf({ sessions }: Restoration, cols: number): string[] {
  if (sessions.length === 0) return ['', '   No session is lost.'];
  const untried = sessions.filter(({ outcome }) => outcome === 'not_tried').length;
  const lines = ['', ...sessions.map(restoredText), ...(untried === 0 ? [] : ['', untriedText(untried)])];
  return lines.flatMap((line) => wrap(line, cols - 3)).map((line) => `   ${line}`);
}
