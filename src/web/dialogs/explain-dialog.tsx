import { useSignal } from '@preact/signals';
import type { Explanation } from '../../protocol/index.ts';
import { agoText, evidenceFacts, statusWord } from '../../text/explanation-text.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { client, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { now } from '../display/clock.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { tellError } from '../parts/toasts.tsx';

/** Shows why a session has its current status, as `cbos explain` does. */
export function ExplainDialog({ slug }: { slug: string }) {
  const known = useSignal<Explanation | null>(null);
  useRead(
    () => client.call('explain', { params: { slug } }),
    {
      onRead: (explanation) => {
        known.value = explanation;
      },
      onError: (error) => {
        closeOverlay();
        tellError(error);
      },
    },
    [slug],
  );
  const session = sessions.value.get(slug);
  const explanation = known.value;
  return (
    <Dialog label={`Why ${slug} has this status`} onClose={closeOverlay} isWide>
      <div class="dialog-body stack">
        {explanation === null || session === undefined ? (
          <h2>{slug}</h2>
        ) : (
          <>
            <h2>
              {slug}: {statusWord(explanation.status)}
            </h2>
            <p>{explanation.why}</p>
            <Verdicts explanation={explanation} />
            <dl class="facts">
              {evidenceFacts(session, explanation, now.value).map(([label, text]) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{showHiddenMarks(text)}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
        <div class="row end">
          <CloseButton>Close</CloseButton>
        </div>
      </div>
    </Dialog>
  );
}

function Verdicts({ explanation }: { explanation: Explanation }) {
  return (
    <div class="table-scroll">
      <table class="verdicts">
        <thead>
          <tr>
            {['Source', 'Says', 'Since', 'Rule', 'Evidence'].map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {explanation.verdicts.map((verdict) => (
            <tr key={`${verdict.source} ${verdict.rule}`} class={verdict.won ? 'won' : ''}>
              <td>{verdict.source}</td>
              <td>{statusWord(verdict)}</td>
              <td>{agoText(verdict.since, now.value)}</td>
              <td class="mono">{verdict.rule}</td>
              <td>{showHiddenMarks(verdict.evidence)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
