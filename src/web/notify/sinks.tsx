import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Sink } from '../../protocol/index.ts';
import { sinkRulesText, sinkStateText } from '../../text/sink-words.ts';
import { client } from '../connection/fleet.ts';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/** Shows the sinks. Users add sinks on the command line, where they can enter the secrets without showing them. */
export function Sinks() {
  const sinks = useSignal<readonly Sink[] | null>(null);
  const load = async (): Promise<void> => {
    sinks.value = await client.call('listSinks');
  };
  useEffect(() => {
    load().catch(tellError);
  }, []);
  return (
    <section class="card">
      <h2>Notifications on other devices</h2>
      {sinks.value?.length === 0 && (
        <p class="faint">
          While you are away, CBOS can send what sessions ask to a phone, a chat, your desktop, an e-mail address or
          your own webhook: <code>cbos notify add --help</code>
        </p>
      )}
      {sinks.value?.map((sink) => (
        <div key={sink.name} class="row wrap">
          <div class="grow">
            <strong>{sink.name}</strong> {sink.kind} at {sink.to}
            <p class="faint">{sinkRulesText(sink)}</p>
            <p class={sink.fault === null ? 'faint' : 'notice'}>{sinkStateText(sink)}</p>
          </div>
          <button
            type="button"
            class="button"
            aria-label={`Send a test to ${sink.name}`}
            onClick={async () => {
              const isSent = await attempt(() => client.call('testSink', { params: { name: sink.name } }));
              if (isSent) tell(`Sent to ${sink.name}`);
              await load().catch(tellError);
            }}
          >
            Test
          </button>
        </div>
      ))}
    </section>
  );
}
