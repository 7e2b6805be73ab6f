// This import must come first, because the schemas must be created after it, whichever part of the page contains them.
import './without-eval.ts';

import { batch, signal } from '@preact/signals';
import {
  type Client,
  createClient,
  EMPTY_VIEW,
  type SessionView,
  type StreamConnection,
  withRemoteNames,
} from '../../client/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { CatalogueError, type StreamCommand, type StreamFrame } from '../../protocol/index.ts';
import { browserTransport, probeConnections } from './browser-transport.ts';

/**
 * The minimum time between two redraws of the list. Nobody can see more, and 200 sessions that all change then cost
 * little.
 */
const DRAW_INTERVAL_MS = 66;
/** How long to wait between attempts to reach a server that was not there when the page was opened. */
const RETRY_MS = 1_000;

/**
 * How current this page is. `live`: what is shown is current. `stale`: it was current, and may no longer be.
 * `unproven`: a server answers, but could not prove that it is the one this browser signed in to.
 */
export type Link = 'connecting' | 'live' | 'stale' | 'signed-out' | 'unproven';

export const link = signal<Link>('connecting');
/** When the connection was lost, in Unix milliseconds, or null while there is a connection. */
export const lostAt = signal<number | null>(null);
/** The sessions as last reported. */
export const sessions = signal<SessionView>(EMPTY_VIEW);

export const client: Client = withRemoteNames(createClient({ transport: browserTransport() }));

const frames = new Emitter<[StreamFrame]>();
let connection: StreamConnection | null = null;
let retryTimer = 0;
let drawTimer = 0;
let lastDrawn = 0;

/** Calls the listener for every frame, immediately and in order. Returns a function that removes the listener. */
export const onFrame = frames.on;

/** Sends a command over the open connection. Returns false if there is no connection. */
export function command(text: StreamCommand): boolean {
  return connection?.send(text) ?? false;
}

/** Follows a session's output until disposed of. If the connection is lost, it later continues where it left off. */
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

/** Connects, and stays connected. This is called again after a sign-in. */
export function connectFleet(): void {
  connection?.dispose();
  clearTimeout(retryTimer);
  if (link.value !== 'unproven') link.value = 'connecting';
  connection = client.subscribe({
    recordings: [...followed.keys()],
    fleet: { now: () => Date.now() },
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
 * Starts the connection, and checks it when the page wakes up. @param isSigningIn whether a link must sign in first; it
 * then makes the connection
 */
export function startFleet(isSigningIn: boolean): void {
  if (!isSigningIn) connectFleet();
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) probeConnections();
  });
  addEventListener('online', probeConnections);
}

/**
 * Ends the connection of the whole page if a request was refused because the sign-in has expired, or if the request
 * reached another server. @returns whether that was the case
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

/** The port may return to the server at any moment. */
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

/** The page becomes current again only once the whole list has been received over this connection. */
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
    // What was known about other machines became outdated when the connection was lost.
    if (connection !== null && sessions.value.size > 0) sessions.value = connection.view();
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

/** A single change is drawn immediately, many at a limited rate. */
function scheduleDraw(): void {
  if (drawTimer !== 0) return;
  const waitMs = Math.max(0, lastDrawn + DRAW_INTERVAL_MS - performance.now());
  drawTimer = window.setTimeout(() => {
    drawTimer = 0;
    lastDrawn = performance.now();
    if (connection !== null) sessions.value = connection.view();
  }, waitMs);
}
