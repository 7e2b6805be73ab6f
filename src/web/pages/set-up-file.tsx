import { mayTrustSetUp, type ProjectSetUp, type RepositoryWorktrees } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { commandText, ownSetUpText, SET_UP_FILE_WORDS } from '../../text/set-up-words.ts';
import { client } from '../connection/fleet.ts';
import { FileToTrust } from '../parts/file-to-trust.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/** Shows the command that prepares the worktrees of a repository. The user can trust the repository's own file here. */
export function SetUpFile({ list, onDone }: { list: RepositoryWorktrees; onDone(): Promise<void> }) {
  const { repository, set_up: file } = list;
  const own = ownSetUpText(list);
  const trust = async ({ sha256, command }: ProjectSetUp): Promise<boolean> => {
    const body = { path: repository, sha256: sha256 ?? '' };
    const isDone = await attempt(() => client.call('trustSetUp', { body }));
    if (isDone) tell(`${commandText(command ?? '')} runs in each new worktree from now on`);
    await onDone();
    return isDone;
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
    <FileToTrust
      label={`Set-up of ${repository}`}
      file={file}
      stateText={SET_UP_FILE_WORDS[file.state] ?? file.state}
      notices={
        <>
          {own !== '' && <p class="notice">{own}</p>}
          {file.state === 'broken' && <p class="notice bad">{showHiddenMarks(file.error ?? '')}</p>}
          {(file.state === 'untrusted' || file.state === 'changed') && (
            <p class="notice">CBOS does not run the command in this file until you trust the file as it is now.</p>
          )}
        </>
      }
      onUntrust={file.state === 'trusted' || file.state === 'changed' ? untrust : null}
      action={mayTrustSetUp(file) ? 'Trust this set-up' : null}
      onTrust={trust}
      contentOf={({ command, content }) => (
        <>
          {command !== null && (
            <>
              <p class="faint">The command, in every new worktree of this repository:</p>
              <pre>{showHiddenMarks(command)}</pre>
            </>
          )}
          <p class="faint">The whole file:</p>
          <pre>{showHiddenMarks(content ?? '')}</pre>
        </>
      )}
    />
  );
}
