import { describe, expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../../src/protocol/index.ts';
import { createBook, type Facts } from '../../../src/server/book/book.ts';
import type { SessionEvent } from '../../../src/server/sessions.ts';
import { someSession } from '../../harness/some-session.ts';

const AUTH = someSession('AUTH');

function someBook() {
  const failures: object[] = [];
  const book = createBook({ idOf: (slug) => `id-of-${slug}`, log: { error: (fields) => void failures.push(fields) } });
  const events: SessionEvent[] = [];
  onTestFinished(book.onEvent((event) => events.push(event)));
  const sessions = (): (Session | null)[] => events.map((event) => ('session' in event ? event.session : null));
  return { book, events, failures, sessions };
}

const tagged = (tag: string): Facts => ({ of: (_, { tags }) => ({ tags: [...tags, tag] }) });

describe('a session in the book', () => {
  test('has the facts of all features, in the order in which they were added, until a feature is removed', () => {
    const { book } = someBook();
    const first = book.add(tagged('first'));
    book.add(tagged('second'));
    expect(book.shown('1', AUTH).tags).toEqual(['first', 'second']);
    first.dispose();
    expect(book.shown('1', AUTH).tags).toEqual(['second']);
  });

  test('keeps its id when it is renamed, and has none once it is removed', () => {
    const { book } = someBook();
    book.tell({ kind: 'added', session: AUTH });
    book.tell({ kind: 'renamed', from: 'AUTH', session: { ...AUTH, slug: 'LOGIN' } });
    expect([book.idOf('AUTH'), book.idOf('LOGIN'), book.slugOf('id-of-AUTH')]).toEqual([
      undefined,
      'id-of-AUTH',
      'LOGIN',
    ]);
    book.tell({ kind: 'removed', slug: 'LOGIN' });
    expect([book.idOf('LOGIN'), book.slugOf('id-of-AUTH')]).toEqual([undefined, null]);
  });
});

describe('an event', () => {
  test('reaches the faces after every feature has seen it, and carries what they know by then', () => {
    const { book, sessions } = someBook();
    let seen = 0;
    book.add({
      of: () => ({ tags: [`seen ${seen}`] }),
      take: (event, _, pass) => {
        seen += 1;
        pass(event);
      },
    });
    book.tell({ kind: 'added', session: AUTH });
    expect(sessions()[0]?.tags).toEqual(['seen 1']);
  });

  test('does not reach the faces, nor later features, if a feature holds it back', () => {
    const { book, events } = someBook();
    const later: string[] = [];
    book.tell({ kind: 'added', session: AUTH });
    book.add({ of: () => ({}), take: (event, _, pass) => void (event.kind === 'removed' && pass(event)) });
    book.add({
      of: () => ({}),
      take: (event, _, pass) => {
        later.push(event.kind);
        pass(event);
      },
    });
    book.tell({ kind: 'updated', session: AUTH });
    book.tell({ kind: 'removed', slug: 'AUTH' });
    expect([later, events.map(({ kind }) => kind)]).toEqual([['removed'], ['added', 'removed']]);
  });

  test('that a feature reports passes only through the features after it', () => {
    const { book, events } = someBook();
    const took: string[] = [];
    const noting = (name: string): Facts => ({
      of: () => ({}),
      take: (event, id, pass) => {
        took.push(`${name} ${event.kind} ${id}`);
        pass(event);
      },
    });
    book.add(noting('before'));
    const place = book.add(noting('own'));
    book.add(noting('after'));
    book.tell({ kind: 'added', session: AUTH });
    took.length = 0;
    place.tell({ kind: 'updated', session: AUTH });
    expect([took, events.at(-1)?.kind]).toEqual([['after updated id-of-AUTH'], 'updated']);
  });

  test('is logged if a feature fails, and the next event still reaches the faces', () => {
    const { book, events, failures } = someBook();
    book.add({
      of: () => ({}),
      take: (event, _, pass) => {
        if (event.kind === 'state') throw new Error('broken');
        pass(event);
      },
    });
    book.tell({ kind: 'added', session: AUTH });
    book.tell({ kind: 'state', session: AUTH });
    book.tell({ kind: 'updated', session: AUTH });
    expect(events.map(({ kind }) => kind)).toEqual(['added', 'updated']);
    expect(failures).toEqual([{ err: new Error('broken'), event: 'state' }]);
  });
});
