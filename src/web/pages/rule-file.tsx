import { useSignal } from '@preact/signals';
import type { RuleFile } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { FILE_STATE_WORDS } from '../../text/rule-words.ts';
import { client } from '../connection/fleet.ts';
import { ReadToTrust } from '../parts/read-to-trust.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/**
 * Shows the state and content of a rules file. The user can trust a project's file here, but only with exactly the
 * content that was shown.
 */
export function RuleFileCard({ file, onDone }: { file: RuleFile; onDone(): Promise<void> }) {
  const { path, folder, state, error } = file;
  /** the file as it was when the user opened it, which is the only content that can be trusted */
  const opened = useSignal<RuleFile | null>(null);
  const untrust = async (): Promise<void> => {
    const isDone = await attempt(() => client.call('untrustRules', { body: { path: folder ?? '' } }));
    if (isDone) tell(`The rules in ${folder} no longer apply`);
    await onDone();
  };
  const trust = async (read: RuleFile | null): Promise<void> => {
    const request = { path: folder ?? '', sha256: read?.sha256 ?? '' };
    if (!(await attempt(() => client.call('trustRules', { body: request })))) return;
    tell(`The rules in ${folder} now apply, exactly as you read them`);
    opened.value = null;
    await onDone();
  };
  return (
    <section class="card stack" aria-label={`File ${path}`}>
      <div class="row wrap">
        <code class="grow rule-about">{showHiddenMarks(path)}</code>
        <span class="chip" data-file={state}>
          {FILE_STATE_WORDS[state] ?? state}
        </span>
      </div>
      {state === 'changed' && (
        <p class="notice">
          {showHiddenMarks(error ?? '')}. The version that you trusted applies, and rules allow nothing in that project
          until you trust the file again.
        </p>
      )}
      {state === 'broken' && (
        <p class="notice bad">{showHiddenMarks(error ?? '')}. Rules allow nothing that this file affects.</p>
      )}
      {state === 'untrusted' && (
        <p class="notice">
          {error === null
            ? 'The rules in this file do not apply yet. They can deny and ask, but never allow.'
            : `The rules in this file do not apply, and cannot be trusted: ${showHiddenMarks(error)}`}
        </p>
      )}
      <div class="row end">
        {folder !== null && state !== 'untrusted' && (
          <button type="button" class="button quiet" onClick={() => void untrust()}>
            Stop trusting
          </button>
        )}
        {file.content !== null && (
          <button
            type="button"
            class="button"
            aria-expanded={opened.value !== null}
            onClick={() => {
              opened.value = opened.value === null ? file : null;
            }}
          >
            {opened.value === null ? 'Read it' : 'Close it'}
          </button>
        )}
      </div>
      {opened.value !== null && (
        <ReadToTrust
          isSame={opened.value.sha256 === file.sha256}
          action={
            folder !== null && (state === 'changed' || (state === 'untrusted' && error === null))
              ? 'Trust these rules'
              : null
          }
          onTrust={() => void trust(opened.value)}
        >
          <pre>{showHiddenMarks(opened.value.content ?? '')}</pre>
        </ReadToTrust>
      )}
    </section>
  );
}
