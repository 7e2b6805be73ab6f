import type { RemoteName } from '../../protocol/index.ts';
import type { Rights } from '../auth/session-rights.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import type { FarFeeds } from './far-feeds.ts';
import type { FleetListener } from './other-machines.ts';
import type { RecordingFeed } from './recording-feed.ts';

export interface StreamClientOptions {
  socket: ClientSocket;
  sessions: Sessions;
  /** returns what this client may do */
  rights: () => Promise<Rights>;
  logger: Logger;
  /** how many bytes `get_buffer` returns at most */
  maxBufferBytes: number;
  /** @throws CatalogueError no_such_session, no_recording */
  feedOf(slug: string): RecordingFeed;
  /** the sessions on other machines that clients follow */
  farFeeds: FarFeeds;
  /**
   * Resolves when this session on another machine can be followed, if the client has the right to.
   * @throws CatalogueError inside_session, no_fleet, no_such_machine
   */
  readyFar(name: RemoteName): Promise<void>;
  /** @throws CatalogueError inside_session */
  followFleet(listener: FleetListener): Promise<Dispose>;
}
