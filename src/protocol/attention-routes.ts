import { TagEdit } from './labels.ts';
import type { RouteRow } from './route.ts';
import { Session } from './session.ts';
import { Look, NewSnooze } from './snooze.ts';

/** The part of the REST interface that keeps what a person has seen, snoozed, tagged and archived. */
export const ATTENTION_ROUTES = {
  markSeen: {
    method: 'post',
    path: '/sessions/{slug}/seen',
    who: 'person',
    summary: 'Mark as read what a person has seen of a session',
    body: Look,
    response: Session,
    errors: ['no_such_session'],
  },
  markUnseen: {
    method: 'post',
    path: '/sessions/{slug}/unseen',
    who: 'person',
    summary: 'Mark a session as unread',
    response: Session,
    errors: ['no_such_session'],
  },
  snoozeSession: {
    method: 'post',
    path: '/sessions/{slug}/snooze',
    who: 'person',
    summary: "Snooze a session until a time or an event: until then it isn't counted and sends no notifications",
    body: NewSnooze,
    response: Session,
    errors: ['no_such_session', 'session_dead', 'time_passed'],
  },
  unsnoozeSession: {
    method: 'delete',
    path: '/sessions/{slug}/snooze',
    who: 'person',
    summary: 'Wake a snoozed session',
    response: Session,
    errors: ['no_such_session'],
  },
  tagSession: {
    method: 'post',
    path: '/sessions/{slug}/tags',
    who: 'person',
    summary: 'Add tags to a session, or remove them',
    body: TagEdit,
    response: Session,
    errors: ['no_such_session'],
  },
  archiveSession: {
    method: 'post',
    path: '/sessions/{slug}/archive',
    who: 'person',
    summary: 'Archive a stopped or parked session: it disappears from every list and count, but nothing is lost',
    response: Session,
    errors: ['no_such_session', 'session_alive'],
  },
  unarchiveSession: {
    method: 'delete',
    path: '/sessions/{slug}/archive',
    who: 'person',
    summary: 'List an archived session again',
    response: Session,
    errors: ['no_such_session'],
  },
} as const satisfies Record<string, RouteRow>;
