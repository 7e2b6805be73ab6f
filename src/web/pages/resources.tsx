import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionResources } from '../../protocol/index.ts';
import { byMemory, memoryText, processorText, totalOf } from '../../text/resource-words.ts';
import { DEEDS } from '../actions/deeds.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { addressOf } from '../navigation/router.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tellError } from '../parts/toasts.tsx';

/** Shows how much memory and processor time each session used when the page was opened or refreshed. */
export function ResourcesPage() {
  const resources = useSignal<readonly SessionResources[] | null>(null);
  const load = async (): Promise<void> => {
    try {
      resources.value = byMemory(await client.call('resources'));
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
  }, [link.value]);
  useShortcuts([{ keys: 'r', does: 'Reload the resources', run: () => void load() }], []);
  const all = resources.value ?? [];
  return (
    <>
      <PageHead title="Resources">
        <button type="button" class="button" disabled={link.value !== 'live'} onClick={() => void load()}>
          Refresh
        </button>
      </PageHead>
      <div class="page stack">
        <p class="faint">
          A parked session uses no memory. The next prompt wakes it with its conversation, at the same size.
        </p>
        {resources.value !== null && all.length === 0 && <p>No session has a process.</p>}
        {all.length > 0 && (
          <table class="resources">
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col" class="number">
                  Memory
                </th>
                <th scope="col" class="number">
                  Processor time
                </th>
                <th>
                  <span class="hidden-text">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <Row key={one.session} resources={one} onParked={load} />
              ))}
              <tr>
                <th scope="row">All</th>
                <td class="number">{memoryText(totalOf(all))}</td>
                <td class="number">{processorText(totalOf(all))}</td>
                <td />
              </tr>
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}

function Row({ resources, onParked }: { resources: SessionResources; onParked(): Promise<void> }) {
  const slug = resources.session;
  const session = sessions.value.get(slug);
  const isBusy = useSignal(false);
  const park = async (): Promise<void> => {
    isBusy.value = true;
    await attempt(() => DEEDS.park.run(slug));
    await onParked();
    isBusy.value = false;
  };
  return (
    <tr>
      <th scope="row">{session === undefined ? slug : <a href={addressOf({ page: 'session', slug })}>{slug}</a>}</th>
      <td class="number">{memoryText(resources)}</td>
      <td class="number">{processorText(resources)}</td>
      <td>
        {session !== undefined && DEEDS.park.isFor(session) && (
          <button
            type="button"
            class="button"
            aria-label={`Park ${slug}`}
            disabled={isBusy.value || link.value !== 'live'}
            onClick={() => void park()}
          >
            Park
          </button>
        )}
      </td>
    </tr>
  );
}
