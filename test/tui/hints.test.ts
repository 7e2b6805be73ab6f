import { expect, test } from 'vitest';
import type { QuestionOption } from '../../src/protocol/index.ts';
import type { App } from '../../src/tui/app.ts';
import { createModel, noteDrawn } from '../../src/tui/model.ts';
import { browse } from '../../src/tui/modes/browse.ts';
import { someSession } from '../harness/some-session.ts';
import { asking } from '../harness/some-sessions.ts';

/** Returns the keys that are offered while a session asks with these options. */
function offered(...options: Pick<QuestionOption, 'label' | 'means'>[]): string[] {
  const numbered = options.map((option, index) => ({ ...option, key: String(index + 1), description: null }));
  const model = createModel(0);
  model.view = new Map([['ASKS', someSession('ASKS', asking({ options: numbered }))]]);
  model.selected = 'ASKS';
  noteDrawn(model, { now: 0, hasMoved: true, isWhole: true });
  const app = { model, options: { now: () => 0 } } as App;
  return browse(app)
    .hints()
    .map(([key]) => key);
}

test('"always" is offered if an option grants it, and not otherwise', () => {
  const yes = { label: 'Yes', means: 'yes' } as const;
  const no = { label: 'No', means: 'no' } as const;
  expect(offered(yes, { label: 'Yes, for npm test', means: 'always' }, no)).toContain('a');
  expect(offered(yes, no)).not.toContain('a');
  expect(offered(yes, { label: 'Yes, always and everything', means: 'more' }, no)).not.toContain('a');
});
