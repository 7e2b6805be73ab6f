import webPush from 'web-push';
import { z } from 'zod';
import { evidenceOf, previewOf, titleOf } from '../../core/sinks/notice.ts';
import { isSnoozed, needsYou, type PushMessage, PushSubscription, type Session } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { sendPush } from './send-push.ts';

/** How many browsers may be subscribed at once. Beyond that, the oldest subscription is dropped. */
const MAX_SUBSCRIPTIONS = 50;

/**
 * How many characters of text a notification contains at most. No more would be displayed, and a push service accepts
 * only 4 kB in all.
 */
const MAX_BODY_CHARACTERS = 300;

const Kept = z.object({
  vapid: z.object({ publicKey: z.string(), privateKey: z.string() }),
  subscriptions: z.array(PushSubscription),
});
type Kept = z.infer<typeof Kept>;

/**
 * Sends Web Push notifications, which arrive even while the page is closed, whenever a session starts to need a person.
 */
export interface Push {
  publicKey(): string;
  subscribe(subscription: PushSubscription): void;
  unsubscribe(endpoint: string): void;
  dispose: Dispose;
}

/**
 * Stores the keys and subscriptions in one private file in the home. The keys are created when a browser first asks for
 * them.
 * @param options.subject the sender's contact address, which is sent to the push service
 */
export function createPush(options: {
  sessions: Pick<Sessions, 'list' | 'onEvent'>;
  file: string;
  subject: string;
  logger: Logger;
}): Push {
  const { sessions, file, subject, logger } = options;
  let kept = readPrivateFile(file, Kept);
  /**
   * what each session was last reported to need; a question that is reported again, because its options arrived later,
   * does not cause a second notification
   */
  const told = new Map<string, { need: string; isSnoozed: boolean }>();
  const note = (session: Session): void => {
    told.set(session.slug, { need: needKey(session), isSnoozed: isSnoozed(session) });
  };
  for (const session of sessions.list()) note(session);

  const require = (): Kept => {
    if (kept === null) save({ vapid: webPush.generateVAPIDKeys(), subscriptions: [] });
    return kept as Kept;
  };
  const save = (next: Kept): void => {
    writePrivateFile(file, next);
    kept = next;
  };
  const unsubscribe = (endpoint: string): void => {
    if (kept === null) return;
    save({ ...kept, subscriptions: kept.subscriptions.filter((one) => one.endpoint !== endpoint) });
  };

  const tell = async (message: PushMessage): Promise<void> => {
    const { vapid, subscriptions } = require();
    await Promise.all(
      subscriptions.map(async (subscription) => {
        const outcome = await sendPush({ subscription, vapid, subject, message });
        if (outcome === 'gone') unsubscribe(subscription.endpoint);
        // The endpoint's URL is a secret of the browser, so only its host is logged.
        else if (outcome !== 'sent')
          logger.warn({ host: new URL(subscription.endpoint).host, outcome }, 'a push notification could not be sent');
      }),
    );
  };

  const dispose = sessions.onEvent((event) => {
    if (event.kind === 'removed') told.delete(event.slug);
    if (event.kind === 'renamed') {
      told.delete(event.from);
      note(event.session);
    }
    // The person has just snoozed or woken the session by hand, and so needs no notification.
    if (event.kind === 'updated' && told.get(event.session.slug)?.isSnoozed !== isSnoozed(event.session)) {
      note(event.session);
    }
    if (event.kind !== 'added' && event.kind !== 'state' && event.kind !== 'woken') return;
    const { session } = event;
    const need = needKey(session);
    if (told.get(session.slug)?.need === need) return;
    note(session);
    if (need === '' || kept === null || kept.subscriptions.length === 0) return;
    void tell(messageOf(session)).catch((error: unknown) =>
      logger.error({ err: error }, 'a push notification could not be sent'),
    );
  });

  return {
    publicKey: () => require().vapid.publicKey,
    subscribe: (subscription) => {
      const before = require();
      const others = before.subscriptions.filter(({ endpoint }) => endpoint !== subscription.endpoint);
      save({ ...before, subscriptions: [...others.slice(1 - MAX_SUBSCRIPTIONS), subscription] });
    },
    unsubscribe,
    dispose,
  };
}

/**
 * Returns a string that identifies what the session needs. It changes whenever the need changes, and is empty if the
 * session needs nothing.
 */
function needKey(session: Session): string {
  const { status } = session;
  return needsYou(session) ? `${status.primary}/${status.detail} ${status.question?.id ?? ''}` : '';
}

function messageOf(session: Session): PushMessage {
  const { question } = session.status;
  const asks = question?.tool == null ? (question?.text ?? evidenceOf(session)) : toolText(question.tool);
  return { session: session.slug, title: titleOf(session), body: previewOf(asks).slice(0, MAX_BODY_CHARACTERS) };
}

function toolText({ name, input }: { name: string; input: unknown }): string {
  const fields = typeof input === 'object' && input !== null ? Object.values(input) : [];
  const first = fields.find((value) => typeof value === 'string');
  return first === undefined ? name : `${name}: ${first}`;
}
