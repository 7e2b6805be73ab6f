import { expect, test } from 'vitest';
import type { Question } from '../../src/protocol/index.ts';
import { createModel, isReadable, type Model, noteDrawn } from '../../src/tui/model.ts';
import { someSession } from '../harness/some-session.ts';
import { asking } from '../harness/some-sessions.ts';

const READ_MS = 500;

/** Returns a model in which AUTH has asked for a long time. Its question was drawn at 0. */
function looking(): Model {
  const model = createModel(0);
  ask(model, 'AUTH', 'q1');
  ask(model, 'BILL', 'q2');
  model.selected = 'AUTH';
  noteDrawn(model, { now: 0, hasMoved: false, isWhole: true });
  return model;
}

function ask(model: Model, slug: string, id: string, more: Partial<Question> = {}): void {
  const question = { id, asked_at: '2020-01-01T00:00:00.000Z', ...more };
  model.view = new Map([...model.view, [slug, someSession(slug, asking(question))]]);
}

test('keys answer a question once it has been in the picture for half a second, however long it has been open', () => {
  const model = looking();
  expect([0, READ_MS - 1, READ_MS].map((now) => isReadable(model, now))).toEqual([false, false, true]);
});

test('a question that replaces another one gets no key that was pressed for that one', () => {
  const model = looking();
  ask(model, 'AUTH', 'q3');
  expect(isReadable(model, 2_000), 'before it is drawn').toBe(false);
  noteDrawn(model, { now: 2_000, hasMoved: false, isWhole: true });
  expect([2_000 + READ_MS - 1, 2_000 + READ_MS].map((now) => isReadable(model, now))).toEqual([false, true]);
});

test('a session that the person selects is answered as soon as its question is drawn', () => {
  const model = looking();
  model.selected = 'BILL';
  expect(isReadable(model, 2_000), 'before it is drawn').toBe(false);
  noteDrawn(model, { now: 2_000, hasMoved: true, isWhole: true });
  expect(isReadable(model, 2_000)).toBe(true);
});

test('a session that comes into the picture because the previous one is gone is read first', () => {
  const model = looking();
  model.selected = 'BILL';
  noteDrawn(model, { now: 2_000, hasMoved: false, isWhole: true });
  expect(isReadable(model, 2_000)).toBe(false);
});

test('the next part of a dialog gets no key before it is drawn', () => {
  const parts = ['One?', 'Two?'].map((text) => ({ header: null, text, options: [], multi: false }));
  const model = looking();
  ask(model, 'AUTH', 'q1', { questions: parts });
  model.answer = { questionId: 'q1', part: 1, chosen: new Set(), answers: {} };
  expect(isReadable(model, 2_000)).toBe(false);
  noteDrawn(model, { now: 2_000, hasMoved: true, isWhole: true });
  expect(isReadable(model, 2_000)).toBe(true);
});

test('a question that is drawn again can still be answered', () => {
  const model = looking();
  noteDrawn(model, { now: READ_MS + 1, hasMoved: false, isWhole: true });
  expect(isReadable(model, READ_MS + 1)).toBe(true);
});
