import { chooseOption } from './actions.ts';
import { type App, moveSelection, scrollBack } from './app.ts';
import { isClickable } from './model.ts';
import type { MouseEvent } from './terminal/keys.ts';
import type { Target } from './view/draw.ts';

/** How many rows one step of the mouse wheel scrolls. */
const WHEEL_ROWS = 3;

/** Handles a click or a step of the wheel, depending on what the last picture shows in that cell. */
export function point(app: App, { what }: MouseEvent, target: Target | null): void {
  if (target === null) return;
  if (what === 'click') click(app, target);
  else turn(app, what === 'wheel-up' ? -1 : 1, target);
}

function click(app: App, target: Target): void {
  // While the user is writing something or is being asked something, clicking anywhere else has no effect.
  if (app.mode().takesClicks !== true) return;
  if (target.kind === 'session') app.select(target.slug);
  if (target.kind !== 'option') return;
  if (isClickable(app.model, app.options.now())) chooseOption(app, target.number);
  else app.toast('wait', 'The question has just appeared; read it first');
}

function turn(app: App, step: -1 | 1, target: Target): void {
  const mode = app.mode();
  const isList = target.kind === 'session' || target.kind === 'list';
  if (mode.page !== undefined) {
    for (let row = 0; row < WHEEL_ROWS; row++) {
      mode.handle({ kind: 'key', name: step === 1 ? 'down' : 'up', text: '' });
    }
  } else if (!isList) scrollBack(app, -step * WHEEL_ROWS);
  else if (mode.takesClicks === true) moveSelection(app, step);
}
