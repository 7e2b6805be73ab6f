// This import must come first, before any schema is created, no matter which part of the page contains the schema.
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
 * The minimum time between two redraws of the list. Nobody can see faster changes, and this limit keeps redrawing cheap
 * even if 200 sessions change constantly.
 */
const DRAW_INTERVAL_MS = 66;
/** How long to wait between attempts to reach the server if it was not running when the page was opened. */
const RETRY_MS = 1_000;

/**
 * Whether this page is up to date. `live`: the page is up to date. `stale`: the page was up to date, but may no longer
 * be. `unproven`: a server responds, but could not prove that it is the one that this browser signed in to.
 */
export type Link = 'connecting' | 'live' | 'stale' | 'signed-out' | 'unproven';

export const link = signal<Link>('connecting');
/** The time at which the connection was lost, in Unix milliseconds, or null while there is a connection. */
export const lostAt = signal<number | null>(null);
/** The sessions, as the server last reported them. */
export const sessions = signal<SessionView>(EMPTY_VIEW);

export const client: Client = withRemoteNames(createClient({ transport: browserTransport() }));

const frames = new Emitter<[StreamFrame]>();
let connection: StreamConnection | null = null;
let retryTimer = 0;
let drawTimer = 0;
let lastDrawn = 0;

/**
 * Adds a listener that is called for every frame, immediately and in order. Returns a function that removes the
 * listener.
 */
export const onFrame = frames.on;

/** Sends a command over the connection. Returns false if there is no connection. */
export function command(text: StreamCommand): boolean {
  return connection?.send(text) ?? false;
}

/**
 * Follows a session's output until the returned disposer is called. After the connection was lost, the output continues
 * where it left off.
 */
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

/** Connects to the server, and reconnects whenever necessary. Call this again after a sign-in. */
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
 * Starts the connection, and checks it whenever the page wakes up. @param isSigningIn whether the page was opened by a
 * sign-in link, in which case the connection is established after signing in
 */
export function startFleet(isSigningIn: boolean): void {
  if (!isSigningIn) connectFleet();
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) probeConnections();
  });
  addEventListener('online', probeConnections);
}

/**
 * Ends the page's connection if a request failed because the sign-in has expired or because another server responded.
 * @returns whether that was the reason
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

/**
 * Marks the page as unproven, but keeps trying to connect, because the right server may get its port back at any
 * moment.
 */
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

/** The page counts as up to date only after the whole list has arrived over this connection. */
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
    // Everything known about other machines became outdated when the connection was lost.
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

/** Draw a single change immediately, but limit the rate if there are many. */
function scheduleDraw(): void {
  if (drawTimer !== 0) return;
  const waitMs = Math.max(0, lastDrawn + DRAW_INTERVAL_MS - performance.now());
  drawTimer = window.setTimeout(() => {
    drawTimer = 0;
    lastDrawn = performance.now();
    if (connection !== null) sessions.value = connection.view();
  }, waitMs);
}
