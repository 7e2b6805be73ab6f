import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { alwaysChoicesOf } from '../../client/index.ts';
import type { AlwaysChoices, Question } from '../../protocol/index.ts';
import { alwaysTexts } from '../../text/always-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { client } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { Dialog } from '../parts/dialog.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/** Lets the user choose how far a yes applies. Each choice is shown as the rule that would be saved. */
export function AlwaysDialog({ slug, question, onClose }: { slug: string; question: Question; onClose: () => void }) {
  const choices = useSignal<AlwaysChoices | null>(null);
  const isBusy = useSignal(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const params = { slug };
  useRead(
    () => alwaysChoicesOf(client, slug, question.id),
    {
      onRead: (found) => {
        choices.value = found;
      },
      onError: (error) => {
        tellError(error);
        onClose();
      },
    },
    [slug, question.id],
  );
  const act = async (work: () => Promise<unknown>, said: string): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    if (await attempt(work)) {
      tell(said);
      onClose();
    } else isBusy.value = false;
  };
  const title = `Always allow this in ${slug}`;
  const found = choices.value;
  const question_id = question.id;
  return (
    <Dialog label={title} onClose={onClose} focus={cancel}>
      <div class="dialog-body stack">
        <h2>{title}</h2>
        {found === null && <p class="faint">…</p>}
        {found !== null &&
          alwaysTexts(found).map(({ reach, text, why }) => (
            <section key={reach} class="stack" aria-label={TITLES[reach]}>
              <h3>{TITLES[reach]}</h3>
              {text === null ? <p class="faint">{why}</p> : <pre>{showHiddenMarks(text)}</pre>}
              {text !== null && (
                <button
                  type="button"
                  class="button"
                  disabled={isBusy.value}
                  onClick={() =>
                    void act(
                      () =>
                        reach === 'rule'
                          ? client.call('allowByRule', { params, body: { question_id, rule: text } })
                          : client.call('answer', { params, body: { choice: 'always', for: reach, question_id } }),
                      reach === 'rule'
                        ? `${slug}: answered yes, and saved the rule`
                        : `${slug}: always, ${TITLES[reach]}`,
                    )
                  }
                >
                  {reach === 'rule' ? 'Save the rule, and answer yes' : 'Answer yes'}
                </button>
              )}
            </section>
          ))}
        <div class="row end">
          <button ref={cancel} type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const TITLES = { session: 'For this session', project: 'For this project', rule: 'As a CBOS rule' } as const;
