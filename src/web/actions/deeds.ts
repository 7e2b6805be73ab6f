import { isReady, isSetUpOpen, type Session } from '../../protocol/index.ts';
import { KEEP_OTHER_ABOUT, keepsOther, NEW_CONVERSATION_ABOUT } from '../../text/missing-words.ts';
import { SKIP_SET_UP_ABOUT } from '../../text/set-up-words.ts';
import { client } from '../connection/fleet.ts';

/** Puts an archived session back into the list. */
export const unarchive = (slug: string) => client.call('unarchiveSession', { params: { slug } });

/** An action on a session as a whole, or on several sessions together. */
export interface Deed {
  /** the label of the button */
  verb: string;
  /** the part of the session that the action concerns, for use in the question, such as `the set-up of` */
  of?: string;
  /** the consequences, which are shown before the action, or null if no confirmation is needed */
  about: string | null;
  /** the word that describes a session after the action */
  done: string;
  isFor(session: Session): boolean;
  run(slug: string): Promise<unknown>;
}

const isActive = ({ status: { primary } }: Session): boolean => primary === 'active' || primary === 'stuck';
/** An older server does not support parked sessions. */
export const isParked = ({ parked_at: at }: Partial<Pick<Session, 'parked_at'>>): boolean => (at ?? null) !== null;
const isStopped = ({ status: { primary } }: Session): boolean => primary === 'dead';

/** An older server does not report a missing conversation. */
const hasLostConversation = (session: Session): boolean =>
  session.missing_conversation !== undefined && !keepsOther(session);

const beginAgain = (slug: string): Promise<unknown> =>
  client.call('restartSession', { params: { slug }, query: { new_conversation: 'true' } });

export const DEEDS = {
  interrupt: {
    verb: 'Interrupt',
    about: null,
    done: 'interrupted',
    isFor: isActive,
    run: (slug) => client.call('interrupt', { params: { slug } }),
  },
  wake: {
    verb: 'Wake',
    about: null,
    done: 'woken',
    isFor: isParked,
    run: (slug) => client.call('wakeSession', { params: { slug } }),
  },
  park: {
    verb: 'Park',
    about: null,
    done: 'parked',
    isFor: (session) => session.type === 'screen' && session.adopted && !isParked(session) && isReady(session.status),
    run: (slug) => client.call('parkSession', { params: { slug } }),
  },
  restart: {
    verb: 'Restart',
    about: null,
    done: 'restarted',
    isFor: isStopped,
    run: (slug) => client.call('restartSession', { params: { slug } }),
  },
  newConversation: {
    verb: 'Begin a new conversation',
    of: 'in',
    about: NEW_CONVERSATION_ABOUT,
    done: 'begins a new conversation',
    isFor: hasLostConversation,
    run: beginAgain,
  },
  keepOther: {
    verb: 'Keep the new conversation',
    of: 'of',
    about: KEEP_OTHER_ABOUT,
    done: 'keeps the new conversation',
    isFor: keepsOther,
    run: beginAgain,
  },
  skipSetUp: {
    verb: 'Skip',
    of: 'the set-up of',
    about: SKIP_SET_UP_ABOUT,
    done: 'starts without its set-up from now on',
    isFor: isSetUpOpen,
    run: (slug) => client.call('skipSetUp', { params: { slug } }),
  },
  stop: {
    verb: 'Stop',
    about:
      'Claude Code stops, and so does everything that it started. The session stays in the list and can be restarted.',
    done: 'stopped',
    isFor: (session) => !isStopped(session),
    run: (slug) => client.call('killSession', { params: { slug } }),
  },
  archive: {
    verb: 'Archive',
    about: 'The session disappears from every list and count. Search, history and replay still find it.',
    done: 'archived',
    isFor: (session) => isStopped(session) || isParked(session),
    run: (slug) => client.call('archiveSession', { params: { slug } }),
  },
  delete: {
    verb: 'Delete',
    about:
      'The session and everything that it started stop, and the session is deleted. The recording stays on the disk.',
    done: 'deleted',
    isFor: () => true,
    run: (slug) => client.call('deleteSession', { params: { slug } }),
  },
} as const satisfies Record<string, Deed>;

export type DeedName = keyof typeof DEEDS;

/** The actions that every list of actions offers, in that order. */
export const DEED_NAMES = [
  'interrupt',
  'wake',
  'park',
  'restart',
  'stop',
  'archive',
  'delete',
] as const satisfies readonly DeedName[];
