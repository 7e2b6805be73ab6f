import { signal } from '@preact/signals';
import { needsYou, type Session, type StreamFrame } from '../../protocol/index.ts';
import { client, link, onFrame, sessions } from '../connection/fleet.ts';
import { registerWorker } from '../connection/own-worker.ts';
import { gistOf, statusText } from '../list/tone.ts';

/**
 * How this browser notifies its user. `push`: through the server, even while the page is closed. `page`: through the
 * page, while it is open. `page` is used if the browser's push service cannot be reached, or the page was not loaded
 * over HTTPS.
 */
export type Notifying = 'off' | 'page' | 'push';

const KEY = 'cbos.notify';

export const notifying = signal<Notifying>('off');
/** Why notifications do not use `push`, for the settings page, or null if they do, or if `push` was not requested. */
export const pushProblem = signal<string | null>(null);

export const canNotify = 'Notification' in window && 'serviceWorker' in navigator;

/**
 * The session that a frame reports, if it may have begun to need attention: because its status changed, or because its
 * snooze ended.
 */
function changedBy(frame: StreamFrame): Session | null {
  if (frame.type === 'session_updated') return frame.session;
  const known = frame.type === 'session_state' ? sessions.peek().get(frame.session) : undefined;
  if (frame.type !== 'session_state' || known === undefined) return null;
  return { ...known, status: frame.status, snoozed: frame.snoozed ?? null };
}

/** Restores the chosen setting, and starts listening. */
export function startNotifications(): void {
  if (!canNotify) return;
  if (localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted') void turnOn().catch(() => undefined);
  const needs = new Map<string, string>();
  onFrame((frame) => {
    if (frame.type === 'sessions') {
      // The page already shows what existed before it started to listen. Only changes are news.
      needs.clear();
      for (const session of frame.sessions) needs.set(session.slug, needKey(session));
    }
    const now = changedBy(frame);
    if (now === null) return;
    const session = now;
    const need = needKey(now);
    if (needs.get(session.slug) === need) return;
    needs.set(session.slug, need);
    if (need === '') inTurn(() => withdraw(session.slug));
    else if (notifying.peek() === 'page' && !isLookedAt()) inTurn(() => show(now));
  });
}

/** Asks the browser for permission, and subscribes. @throws Error that says what to do, if a user has refused before */
export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error("The browser blocks notifications from this page; allow them in the browser's site settings");
  }
  localStorage.setItem(KEY, 'on');
  const registration = await registerWorker();
  notifying.value = 'page';
  try {
    const { public_key } = await client.call('pushKey');
    const known = await registration.pushManager.getSubscription();
    const subscription =
      known ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key }));
    const { endpoint, keys } = subscription.toJSON();
    if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) throw new Error('no keys');
    await client.call('subscribePush', { body: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } } });
    notifying.value = 'push';
    pushProblem.value = null;
  } catch (error) {
    pushProblem.value = error instanceof Error ? error.message : String(error);
  }
}

export async function turnOff(): Promise<void> {
  localStorage.removeItem(KEY);
  notifying.value = 'off';
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription == null) return;
  if (link.value === 'live') await client.call('unsubscribePush', { body: { endpoint: subscription.endpoint } });
  await subscription.unsubscribe();
}

/** Somebody is looking at the page, so no notification is needed for what it shows. */
function isLookedAt(): boolean {
  return !document.hidden && document.hasFocus();
}

function needKey(session: Session): string {
  const { status } = session;
  return needsYou(session) ? `${status.primary}/${status.detail} ${status.question?.id ?? ''}` : '';
}

let lastChange: Promise<unknown> = Promise.resolve();

/**
 * Shows or withdraws notifications one after another. Chromium 150 forgets a notification if the list is read while the
 * notification is being shown; the notification could then never be withdrawn.
 */
function inTurn(change: () => Promise<void>): void {
  // A browser that refuses one notification, for lack of space or permission, may show the next one.
  lastChange = lastChange.then(change).catch(() => undefined);
}

async function show(session: Session): Promise<void> {
  const registration = await registerWorker();
  await registration.showNotification(`${session.slug} ${statusText(session)}`, {
    body: gistOf(session),
    // There is one notification per session, and a newer one replaces it.
    tag: session.slug,
    icon: './icon-192.png',
    data: { session: session.slug },
  });
}

/** The question has been answered, here or elsewhere, so the notification must go. */
async function withdraw(slug: string): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  for (const shown of (await registration?.getNotifications({ tag: slug })) ?? []) shown.close();
}
