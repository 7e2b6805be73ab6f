import { type AnswerHold, createAnswerHold, sendHeld } from '../../client/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { type App, errorText } from '../app.ts';

/**
 * A held answer is sent even if the user has closed the inbox. If the terminal UI ends first, the answer is not sent.
 */
const holds = new WeakMap<App, AnswerHold>();

/** Call this when the terminal UI ends. It drops answers that have not been sent yet. */
export function dropHeldAnswers(app: App): void {
  holds.get(app)?.dispose();
}

/** Returns what holds the answers that are given in the inbox. */
export function holdOf(app: App): AnswerHold {
  const known = holds.get(app);
  if (known !== undefined) return known;
  const hold = createAnswerHold({
    startTimer: app.options.startTimer,
    send: (asker, held) => sendHeld(app.client, asker, held),
    onChange: () => app.changed(),
    onDone: ({ said }, outcomes) => {
      const good = outcomes.filter(({ error }) => error === null).map(({ slug }) => slug);
      const bad = outcomes.flatMap(({ slug, error }) => (error === null ? [] : [`${slug}: ${problemOf(error, slug)}`]));
      const told = [...(good.length === 0 ? [] : [`${good.join(', ')}: ${said}`]), ...bad].join('; ');
      app.toast(bad.length === 0 ? 'good' : 'bad', told);
    },
  });
  holds.set(app, hold);
  return hold;
}

function problemOf(error: unknown, slug: string): string {
  return error instanceof CatalogueError ? (errorText(error, slug) ?? error.message) : String(error);
}
