import type { Session } from '../../protocol/index.ts';
import { client } from '../connection/fleet.ts';

/** An action on a whole session, or on several sessions together. */
export interface Deed {
  /** the text of the button */
  verb: string;
  /** the consequences, shown before the action; null if no confirmation is needed */
  about: string | null;
  /** the word for a session after the action */
  done: string;
  isFor(session: Session): boolean;
  run(slug: string): Promise<unknown>;
}

const isActive = ({ status: { primary } }: Session): boolean => primary === 'active' || primary === 'stuck';
const isStopped = ({ status: { primary } }: Session): boolean => primary === 'dead';

export const DEEDS = {
  interrupt: {
    verb: 'Interrupt',
    about: null,
    done: 'interrupted',
    isFor: isActive,
    run: (slug) => client.call('interrupt', { params: { slug } }),
  },
  restart: {
    verb: 'Restart',
    about: null,
    done: 'restarted',
    isFor: isStopped,
    run: (slug) => client.call('restartSession', { params: { slug } }),
  },
  stop: {
    verb: 'Stop',
    about: 'Claude Code stops, with everything that it started. The session stays in the list and can be restarted.',
    done: 'stopped',
    isFor: (session) => !isStopped(session),
    run: (slug) => client.call('killSession', { params: { slug } }),
  },
  delete: {
    verb: 'Delete',
    about: 'The session stops, with everything that it started, and is deleted. The recording stays on the disk.',
    done: 'deleted',
    isFor: () => true,
    run: (slug) => client.call('deleteSession', { params: { slug } }),
  },
} as const satisfies Record<string, Deed>;

export type DeedName = keyof typeof DEEDS;

/** In the order in which they are offered. */
export const DEED_NAMES = ['interrupt', 'restart', 'stop', 'delete'] as const satisfies readonly DeedName[];
