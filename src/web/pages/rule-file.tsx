import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { RuleFile } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { FILE_STATE_WORDS } from '../../text/rule-words.ts';
import { client } from '../connection/fleet.ts';
import { attempt, tell } from '../parts/toasts.tsx';
import { useReadToEnd } from '../session/read-to-end.ts';

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
        <Content
          opened={opened.value}
          isSame={opened.value.sha256 === file.sha256}
          isTrustable={folder !== null && (state === 'changed' || (state === 'untrusted' && error === null))}
          onDone={async () => {
            opened.value = null;
            await onDone();
          }}
        />
      )}
    </section>
  );
}

interface ContentProps {
  opened: RuleFile;
  /** whether the file's content is still the same */
  isSame: boolean;
  /** whether the user can trust the file */
  isTrustable: boolean;
  onDone(): Promise<void>;
}

function Content({ opened, isSame, isTrustable, onDone }: ContentProps) {
  const body = useRef<HTMLDivElement>(null);
  const isRead = useReadToEnd(body);
  const { folder, content, sha256 } = opened;
  const trust = async (): Promise<void> => {
    const request = { path: folder ?? '', sha256: sha256 ?? '' };
    if (!(await attempt(() => client.call('trustRules', { body: request })))) return;
    tell(`The rules in ${folder} now apply, exactly as you read them`);
    await onDone();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a long file, too */}
      <div ref={body} class="rule-content" tabIndex={0}>
        <pre>{showHiddenMarks(content ?? '')}</pre>
      </div>
      {!isSame && <p class="notice">The file has changed since you opened it. Close it, and read it again.</p>}
      {isTrustable && (
        <div class="row end">
          {!isRead && <span class="faint">Read the file to the end first.</span>}
          <button type="button" class="button primary" disabled={!isRead || !isSame} onClick={() => void trust()}>
            Trust these rules
          </button>
        </div>
      )}
    </>
  );
}
