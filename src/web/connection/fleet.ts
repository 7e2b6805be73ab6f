// First: whatever part of the page the schemas come in, they are made after it.
import './without-eval.ts';

import { batch, signal } from '@preact/signals';
import { type Client, createClient, EMPTY_VIEW, type SessionView, type StreamConnection } from '../../client/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { CatalogueError, type StreamCommand, type StreamFrame } from '../../protocol/index.ts';
import { browserTransport, probeConnections } from './browser-transport.ts';

/** How often the list is drawn at most: more than an eye follows, and 200 sessions that all change cost little. */
const DRAW_INTERVAL_MS = 66;
/** Between attempts to reach a server that was not there when the page was opened. */
const RETRY_MS = 1_000;

/**
 * How this page stands with the server. `live`: what is shown is so now. `stale`: it was so, and nobody knows whether
 * it still is. `unproven`: somebody answers who could not prove to be the server that this browser signed in to.
 */
export type Link = 'connecting' | 'live' | 'stale' | 'signed-out' | 'unproven';

export const link = signal<Link>('connecting');
/** When the connection was lost, Unix milliseconds; null while it holds. */
export const lostAt = signal<number | null>(null);
/** The sessions as last heard. */
export const sessions = signal<SessionView>(EMPTY_VIEW);

export const client: Client = createClient({ transport: browserTransport() });

const frames = new Emitter<[StreamFrame]>();
let connection: StreamConnection | null = null;
let retryTimer = 0;
let drawTimer = 0;
let lastDrawn = 0;

/** Told of every frame, at once and in order. Returns its disposer. */
export const onFrame = frames.on;

/** Sends a command over the open connection; false while there is none. */
export function command(text: StreamCommand): boolean {
  return connection?.send(text) ?? false;
}

/** Follows a session's output until disposed; a lost connection goes on where it was. */
export function followRecording(slug: string): () => void {
  connection?.follow([slug]);
  followed.set(slug, (followed.get(slug) ?? 0) + 1);
  return () => {
    const left = (followed.get(slug) ?? 1) - 1;
    if (left > 0) {
      followed.set(slug, left);
      return;
    }
    followed.delete(slug);
    connection?.unfollow([slug]);
  };
}
const followed = new Map<string, number>();

/** Connects, and stays connected. Called again after a sign-in. */
export function connectFleet(): void {
  connection?.dispose();
  clearTimeout(retryTimer);
  if (link.value !== 'unproven') link.value = 'connecting';
  connection = client.subscribe({
    recordings: [...followed.keys()],
    startTimer: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    listener: {
      onFrame: (frame, view) => {
        if (frame.type === 'session_renamed') moveFollowed(frame.session, frame.slug);
        if (frame.type === 'sessions') becomeLive(view());
        else scheduleDraw();
        frames.tell(frame);
      },
      onLost: () => becomeStale(),
      onEnd: (error) => {
        if (noticeRefusal(error)) return;
        becomeStale();
        retryTimer = window.setTimeout(connectFleet, RETRY_MS);
      },
    },
  });
}

/**
 * Starts the connection and keeps an eye on the page's sleep. @param isSigningIn a link is to sign in first, and
 * connects then
 */
export function startFleet(isSigningIn: boolean): void {
  if (!isSigningIn) connectFleet();
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) probeConnections();
  });
  addEventListener('online', probeConnections);
}

/**
 * A request that is refused because the sign-in is over, or that met another server, ends the whole page's. @returns
 * whether it was one
 */
export function noticeRefusal(error: unknown): boolean {
  if (!(error instanceof CatalogueError)) return false;
  if (error.code === 'unauthorized') becomeSignedOut();
  else if (error.code === 'unproven_server') becomeUnproven();
  else return false;
  return true;
}

export function becomeSignedOut(): void {
  forget('signed-out');
}

/** The port may be the server's again at any moment. */
function becomeUnproven(): void {
  forget('unproven');
  retryTimer = window.setTimeout(connectFleet, RETRY_MS);
}

function forget(becomes: Link): void {
  clearTimeout(retryTimer);
  connection?.dispose();
  connection = null;
  batch(() => {
    link.value = becomes;
    sessions.value = EMPTY_VIEW;
    lostAt.value = null;
  });
}

/** Only the whole list, heard over this connection, makes the page current again. */
function becomeLive(view: SessionView): void {
  batch(() => {
    sessions.value = view;
    link.value = 'live';
    lostAt.value = null;
  });
}

function becomeStale(): void {
  if (link.value === 'signed-out') return;
  batch(() => {
    link.value =
      link.value === 'unproven' || (sessions.value.size === 0 && link.value === 'connecting') ? 'connecting' : 'stale';
    lostAt.value ??= Date.now();
  });
}

function moveFollowed(from: string, to: string): void {
  const count = followed.get(from);
  if (count === undefined) return;
  followed.delete(from);
  followed.set(to, count);
}

/** What comes alone is drawn at once, a flood at its pace. */
function scheduleDraw(): void {
  if (drawTimer !== 0) return;
  const waitMs = Math.max(0, lastDrawn + DRAW_INTERVAL_MS - performance.now());
  drawTimer = window.setTimeout(() => {
    drawTimer = 0;
    lastDrawn = performance.now();
    if (connection !== null) sessions.value = connection.view();
  }, waitMs);
}
