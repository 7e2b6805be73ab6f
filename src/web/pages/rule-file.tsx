import type { RuleFile } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { FILE_STATE_WORDS } from '../../text/rule-words.ts';
import { client } from '../connection/fleet.ts';
import { FileToTrust } from '../parts/file-to-trust.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/** Shows a rules file. The user can trust a project's file here. */
export function RuleFileCard({ file, onDone }: { file: RuleFile; onDone(): Promise<void> }) {
  const { path, folder, state, error, content } = file;
  const untrust = async (): Promise<void> => {
    const isDone = await attempt(() => client.call('untrustRules', { body: { path: folder ?? '' } }));
    if (isDone) tell(`The rules in ${folder} no longer apply`);
    await onDone();
  };
  const trust = async ({ sha256 }: RuleFile): Promise<boolean> => {
    const body = { path: folder ?? '', sha256: sha256 ?? '' };
    if (!(await attempt(() => client.call('trustRules', { body })))) return false;
    tell(`The rules in ${folder} now apply, exactly as you read them`);
    await onDone();
    return true;
  };
  const isNew = content !== null && (state === 'changed' || (state === 'untrusted' && error === null));
  return (
    <FileToTrust
      label={`File ${path}`}
      file={file}
      stateText={FILE_STATE_WORDS[state] ?? state}
      notices={<Notices file={file} />}
      onUntrust={folder !== null && state !== 'untrusted' ? untrust : null}
      action={folder !== null && isNew ? 'Trust these rules' : null}
      onTrust={trust}
      contentOf={({ content }) => <pre>{showHiddenMarks(content ?? '')}</pre>}
    />
  );
}

function Notices({ file: { state, error } }: { file: RuleFile }) {
  switch (state) {
    case 'changed':
      return (
        <p class="notice">
          {showHiddenMarks(error ?? '')}. The version that you trusted applies, and rules allow nothing in that project
          until you trust the file again.
        </p>
      );
    case 'broken':
      return <p class="notice bad">{showHiddenMarks(error ?? '')}. Rules allow nothing that this file affects.</p>;
    case 'untrusted':
      return (
        <p class="notice">
          {error === null
            ? 'The rules in this file do not apply yet. They can deny and ask, but never allow.'
            : `The rules in this file do not apply, and cannot be trusted: ${showHiddenMarks(error)}`}
        </p>
      );
    default:
      return null;
  }
}
