import type { Dispose, RecordingStream, Sessions } from '../sessions.ts';

export interface GrowthWatch {
  /** Reports whether the recording is still being watched, which it is until its session is removed. */
  has(stream: RecordingStream): boolean;
  dispose(): void;
}

/**
 * Watches the recording of every session, including sessions that are added later, until the session is removed.
 * @param options.everyBytes by how many bytes a recording must grow before `onGrown` is called again
 */
export function watchGrowth(options: {
  sessions: Pick<Sessions, 'onEvent' | 'stream' | 'streams'>;
  everyBytes: number;
  onGrown: (stream: RecordingStream) => void;
  onRemoved?: (stream: RecordingStream) => void;
}): GrowthWatch {
  const { sessions, everyBytes, onGrown, onRemoved } = options;
  const watched = new Map<RecordingStream, Dispose>();

  function watch(slug: string): void {
    const stream = sessions.stream(slug);
    if (watched.has(stream)) return;
    let fresh = 0;
    const grow = (bytes: Uint8Array): void => {
      fresh += bytes.length;
      if (fresh < everyBytes) return;
      fresh = 0;
      onGrown(stream);
    };
    const stop = stream.onBytes(grow, { mayWait: true });
    watched.set(stream, stop);
  }

  function forgetRemoved(): void {
    const kept = new Set(sessions.streams().map((slug) => sessions.stream(slug)));
    for (const [stream, stop] of watched) {
      if (kept.has(stream)) continue;
      stop();
      watched.delete(stream);
      onRemoved?.(stream);
    }
  }

  const stopEvents = sessions.onEvent((event) => {
    if (event.kind === 'removed') forgetRemoved();
    else if (event.kind === 'added' || event.kind === 'updated') {
      if (sessions.streams().includes(event.session.slug)) watch(event.session.slug);
    }
  });
  for (const slug of sessions.streams()) watch(slug);
  return {
    has: (stream) => watched.has(stream),
    dispose: () => {
      stopEvents();
      for (const stop of watched.values()) stop();
      watched.clear();
    },
  };
}
