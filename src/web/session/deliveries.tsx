import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Delivery, DeliveryStatus, Session } from '../../protocol/index.ts';
import { client, link } from '../connection/fleet.ts';
import { Icon } from '../parts/icons.tsx';
import { attempt, tellError } from '../parts/toasts.tsx';

/**
 * How often to request the list while the outcome of a delivery is open. A message is usually confirmed within a second
 * or two.
 */
const LOOK_AGAIN_MS = 700;
/** How long a confirmed delivery is shown. The confirmation is useful for a moment, but then it is just clutter. */
const CONFIRMED_SHOWN_MS = 12_000;

export interface DeliveryList {
  shown: Signal<readonly Delivery[]>;
  add(delivery: Delivery): void;
  cancel(delivery: Delivery): void;
}

const OPEN: ReadonlySet<DeliveryStatus> = new Set(['queued', 'sent']);

/** Provides the messages that are being sent to a session, and the outcomes of those that were sent from this page. */
export function useDeliveries(session: Session): DeliveryList {
  const { slug } = session;
  const all = useSignal<readonly Delivery[]>([]);
  const ours = useSignal<ReadonlyMap<string, number>>(new Map());
  const shown = useSignal<readonly Delivery[]>([]);

  const show = (): void => {
    const now = Date.now();
    shown.value = all.value.filter(({ id, status }) => {
      if (OPEN.has(status)) return true;
      const at = ours.value.get(id);
      return at !== undefined && (status !== 'delivered' || now - at < CONFIRMED_SHOWN_MS);
    });
  };
  const look = async (): Promise<void> => {
    try {
      all.value = await client.call('listDeliveries', { params: { slug } });
      show();
    } catch (error) {
      // If the server is down, the page already shows that.
      if (link.value === 'live') tellError(error);
    }
  };

  // A held or unconfirmed delivery can change when the session's status changes, and shortly after something was sent.
  const { primary, detail } = session.status;
  useEffect(() => {
    if (link.value === 'live') void look();
  }, [slug, primary, detail, link.value]);
  const isWaiting = shown.value.some(
    ({ id, status }) => status === 'sent' || (ours.value.has(id) && status !== 'queued'),
  );
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isWaiting, slug]);

  return {
    shown,
    add: (delivery) => {
      ours.value = new Map(ours.value).set(delivery.id, Date.now());
      all.value = [delivery, ...all.value.filter(({ id }) => id !== delivery.id)];
      show();
    },
    cancel: ({ id }) => {
      void attempt(() => client.call('cancelDelivery', { params: { slug, id } })).then(look);
    },
  };
}

export const DELIVERY_WORDS: Readonly<Record<DeliveryStatus, string>> = {
  queued: 'held until it is ready',
  sent: 'typed, not confirmed yet',
  delivered: 'Sent',
  unknown: 'unknown: the server stopped before the outcome was known',
  cancelled: 'cancelled',
  failed: 'failed',
};

export function Deliveries({ list }: { list: DeliveryList }) {
  const { value: deliveries } = list.shown;
  if (deliveries.length === 0) return null;
  return (
    <ul class="plain deliveries" aria-label="Sent">
      {deliveries.map((delivery) => (
        <li key={delivery.id} data-status={delivery.status}>
          <Icon
            name={delivery.status === 'delivered' ? 'doubleCheck' : delivery.status === 'sent' ? 'check' : 'clock'}
          />
          <span class="clip grow">{delivery.text}</span>
          <span class="delivery-status">{DELIVERY_WORDS[delivery.status]}</span>
          {delivery.status === 'queued' && (
            <button type="button" class="button quiet" onClick={() => list.cancel(delivery)}>
              Cancel
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
