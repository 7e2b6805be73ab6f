/** If a client follows the recording, the client must receive the output without delay. */
const FOLLOWED_MS = 4;
/**
 * If no client follows the recording, only its status matters. The screen is read at most every 40 ms for the status,
 * so output that is read and drawn just before then is read soon enough.
 */
const UNFOLLOWED_MS = 32;
/** A session that writes a lot is drawn every 80 ms. Its recording is also read right before each drawing. */
const BUSY_MS = 80;

/**
 * Returns the least time between two reads of a recording. The first output after a pause of this length is read
 * immediately.
 * @param recording `isBusy` means that the session writes so much that its output is gathered before it is drawn
 */
export function readIntervalMs({ isFollowed, isBusy }: { isFollowed: boolean; isBusy: boolean }): number {
  if (isFollowed) return FOLLOWED_MS;
  return isBusy ? BUSY_MS : UNFOLLOWED_MS;
}
