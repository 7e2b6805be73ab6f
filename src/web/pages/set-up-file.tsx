import { useSignal } from '@preact/signals';
import { mayTrustSetUp, type ProjectSetUp, type RepositoryWorktrees } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { commandText, ownSetUpText, SET_UP_FILE_WORDS } from '../../text/set-up-words.ts';
import { client } from '../connection/fleet.ts';
import { ReadToTrust } from '../parts/read-to-trust.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/**
 * Shows what prepares the worktrees of a repository. A person can trust the repository's own file here, but only with
 * exactly the content that was shown.
 */
export function SetUpFile({ list, onDone }: { list: RepositoryWorktrees; onDone(): Promise<void> }) {
  const { repository, set_up: file } = list;
  /** the file as it was when the person opened it: only that content can be trusted */
  const opened = useSignal<ProjectSetUp | null>(null);
  const own = ownSetUpText(list);
  const trust = async (read: ProjectSetUp): Promise<void> => {
    const body = { path: repository, sha256: read.sha256 ?? '' };
    const isDone = await attempt(() => client.call('trustSetUp', { body }));
    if (isDone) {
      opened.value = null;
      tell(`${commandText(read.command ?? '')} runs in each new worktree from now on`);
    }
    await onDone();
  };
  const untrust = async (): Promise<void> => {
    const isDone = await attempt(() => client.call('untrustSetUp', { body: { path: repository } }));
    if (isDone) tell(`The set-up of ${repository} is no longer trusted`);
    await onDone();
  };
  if (file === null) {
    return <p class="notice">{own === '' ? 'Nothing names a set-up for this repository.' : own}</p>;
  }
  return (
    <section class="card stack" aria-label={`Set-up of ${repository}`}>
      <div class="row wrap">
        <code class="grow rule-about">{showHiddenMarks(file.path)}</code>
        <span class="chip" data-file={file.state}>
          {SET_UP_FILE_WORDS[file.state] ?? file.state}
        </span>
      </div>
      {own !== '' && <p class="notice">{own}</p>}
      {file.state === 'broken' && <p class="notice bad">{showHiddenMarks(file.error ?? '')}</p>}
      {(file.state === 'untrusted' || file.state === 'changed') && (
        <p class="notice">CBOS does not run the command in this file until you trust the file as it is now.</p>
      )}
      <div class="row end">
        {(file.state === 'trusted' || file.state === 'changed') && (
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
          action={mayTrustSetUp(opened.value) ? 'Trust this set-up' : null}
          onTrust={() => {
            if (opened.value !== null) void trust(opened.value);
          }}
        >
          {opened.value.command !== null && (
            <>
              <p class="faint">The command, in every new worktree of this repository:</p>
              <pre>{showHiddenMarks(opened.value.command)}</pre>
            </>
          )}
          <p class="faint">The whole file:</p>
          <pre>{showHiddenMarks(opened.value.content ?? '')}</pre>
        </ReadToTrust>
      )}
    </section>
  );
}
