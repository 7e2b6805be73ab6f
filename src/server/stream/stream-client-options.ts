import type { Logger } from '../logger.ts';
import type { FleetListener } from '../machines/follow-machines.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import type { ClientSocket } from './client-socket.ts';
import type { RecordingFeed } from './recording-feed.ts';

export interface StreamClientOptions {
  socket: ClientSocket;
  sessions: Sessions;
  /** the sessions, limited to what this client may do */
  acting: () => Promise<Sessions>;
  logger: Logger;
  /** the largest number of bytes that get_buffer returns */
  maxBufferBytes: number;
  /** @throws CatalogueError no_such_session, no_recording */
  feedOf(slug: string): RecordingFeed;
  /** @throws CatalogueError inside_session */
  followFleet(listener: FleetListener): Promise<Dispose>;
}
