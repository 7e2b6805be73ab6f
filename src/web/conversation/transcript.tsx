import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../../protocol/index.ts';
import { client, link } from '../connection/fleet.ts';
import { addressOf } from '../navigation/router.ts';
import { tellError } from '../parts/toasts.tsx';
import { Messages } from './conversation.tsx';
import { EMPTY_CONVERSATION, foldEvents } from './fold-events.ts';

/**
 * How often to read the transcript while it is shown. Claude Code writes each finished block about 100 ms after
 * announcing it.
 */
const LOOK_AGAIN_MS = 1_500;

/** The terminal sessions that the user has switched to a conversation, remembered until the page is reloaded. */
export const readAsText = signal<ReadonlySet<string>>(new Set());

export function showAsText(slug: string, isText: boolean): void {
  const next = new Set(readAsText.peek());
  if (isText) next.add(slug);
  else next.delete(slug);
  readAsText.value = next;
}

/** Shows a terminal session as a conversation: its transcript, which Claude Code writes, and its current screen. */
export function TranscriptView({ session }: { session: Session }) {
  const { slug } = session;
  const conversation = useSignal(EMPTY_CONVERSATION);
  const isWhole = useSignal(true);
  const isLoaded = useSignal(false);
  /** identifies the conversation and the end of the part that has been read */
  const known = useRef<{ id: string | null; end: number } | null>(null);
  const { primary, detail } = session.status;

  useEffect(() => {
    let isGone = false;
    let isLooking = false;
    /** @returns whether there may be more entries to read */
    const read = async (): Promise<boolean> => {
      const { current } = known;
      const query = current === null ? {} : { after: current.end };
      const page = await client.call('transcript', { params: { slug }, query });
      if (isGone) return false;
      // The session has switched to another conversation, or the file was replaced.
      if (current !== null && (current.id !== page.claude_session_id || page.end < current.end)) {
        known.current = null;
        return true;
      }
      const before = current === null ? EMPTY_CONVERSATION : conversation.value;
      if (current === null) isWhole.value = page.from === 0;
      if (current === null || page.events.length > 0) conversation.value = foldEvents(before, page.events);
      known.current = { id: page.claude_session_id, end: page.end };
      isLoaded.value = true;
      return current !== null && page.end > current.end;
    };
    const look = async (): Promise<void> => {
      if (isLooking || link.peek() !== 'live' || document.hidden) return;
      isLooking = true;
      try {
        while (await read());
      } catch (error) {
        if (link.peek() === 'live') tellError(error);
      } finally {
        isLooking = false;
      }
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [slug, primary, detail, link.value]);

  const earlier = (
    <p class="faint">
      You can find the earlier part of the conversation in{' '}
      <a href={addressOf({ page: 'search', query: '' })}>the search</a> and in{' '}
      <a href={addressOf({ page: 'replay', slug, recording: null, offset: null, t: null })}>its recording</a>.
    </p>
  );
  const hint = isLoaded.value
    ? 'Claude Code has not recorded anything yet. The terminal shows what it is doing.'
    : 'Loading…';
  return (
    <>
      <Messages
        {...{ session, hint }}
        seq={null}
        conversation={conversation.value}
        before={isWhole.value ? null : earlier}
      />
      <ScreenNow session={session} />
    </>
  );
}

/**
 * Shows the current screen if the user wants to see it, because text that Claude is still writing is not in the
 * transcript yet.
 */
function ScreenNow({ session: { slug, rows } }: { session: Session }) {
  const text = useSignal('');
  const isOpen = useSignal(false);
  useEffect(() => {
    if (!isOpen.value) return;
    let isGone = false;
    const look = (): void => {
      if (link.peek() !== 'live' || document.hidden) return;
      client
        .call('buffer', { params: { slug }, query: { lines: rows ?? 24, format: 'text' } })
        .then(({ buffer }) => {
          if (!isGone) text.value = buffer.trimEnd();
        })
        .catch((error: unknown) => {
          clearInterval(timer);
          tellError(error);
        });
    };
    const timer = setInterval(look, LOOK_AGAIN_MS);
    look();
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [slug, rows, isOpen.value]);
  return (
    <details
      class="screen-now"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary class="faint">On its screen now</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it, too */}
      <pre class="code" tabIndex={0}>
        {text.value}
      </pre>
    </details>
  );
}
