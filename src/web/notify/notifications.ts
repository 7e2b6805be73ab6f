import { signal } from '@preact/signals';
import { needsYou, type Session, type StreamFrame } from '../../protocol/index.ts';
import { client, link, onFrame, sessions } from '../connection/fleet.ts';
import { registerWorker } from '../connection/own-worker.ts';
import { gistOf, statusText } from '../list/tone.ts';

/**
 * How this browser notifies its user. `push` means through the server, even while the page is closed. `page` means
 * through the page, only while it is open. `page` is used if the browser's push service cannot be reached, or if the
 * page was not loaded over HTTPS.
 */
export type Notifying = 'off' | 'page' | 'push';

const KEY = 'cbos.notify';

export const notifying = signal<Notifying>('off');
/**
 * Why notifications do not use `push`, for display on the settings page. It is null if they do use it, or if the user
 * did not ask for it.
 */
export const pushProblem = signal<string | null>(null);

export const canNotify = 'Notification' in window && 'serviceWorker' in navigator;

/**
 * Returns the session that a frame reports, if the session may have started to need attention because its status has
 * changed or its snooze has ended.
 */
function changedBy(frame: StreamFrame): Session | null {
  if (frame.type === 'session_updated') return frame.session;
  const known = frame.type === 'session_state' ? sessions.peek().get(frame.session) : undefined;
  if (frame.type !== 'session_state' || known === undefined) return null;
  return { ...known, status: frame.status, snoozed: frame.snoozed ?? null };
}

/** Restores the user's setting, and starts to listen. */
export function startNotifications(): void {
  if (!canNotify) return;
  if (localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted') void turnOn().catch(() => undefined);
  const needs = new Map<string, string>();
  onFrame((frame) => {
    if (frame.type === 'sessions') {
      // The page already shows what existed before it started to listen, so notify the user only about changes.
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

/**
 * Asks the browser for permission, and subscribes. @throws Error that says what to do if the user has denied permission
 * before
 */
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

/** The user is looking at the page, so no notification is needed for anything that it shows. */
function isLookedAt(): boolean {
  return !document.hidden && document.hasFocus();
}

function needKey(session: Session): string {
  const { status } = session;
  return needsYou(session) ? `${status.primary}/${status.detail} ${status.question?.id ?? ''}` : '';
}

let lastChange: Promise<unknown> = Promise.resolve();

/**
 * Shows and withdraws notifications one at a time. Chromium 150 loses track of a notification if the list of
 * notifications is read while the notification is being shown. It could then never be withdrawn.
 */
function inTurn(change: () => Promise<void>): void {
  // Ignore this error: the browser may reject one notification, for lack of space or permission, and still show the
  // next one.
  lastChange = lastChange.then(change).catch(() => undefined);
}

async function show(session: Session): Promise<void> {
  const registration = await registerWorker();
  await registration.showNotification(`${session.slug} ${statusText(session)}`, {
    body: gistOf(session),
    // Each session has at most one notification: a newer one replaces it.
    tag: session.slug,
    icon: './icon-192.png',
    data: { session: session.slug },
  });
}

/** The question has been answered, here or elsewhere, so withdraw its notification. */
async function withdraw(slug: string): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  for (const shown of (await registration?.getNotifications({ tag: slug })) ?? []) shown.close();
}
