import { useEffect, useRef } from 'preact/hooks';
import { formatSize } from '../../text/recording-words.ts';
import { Icon } from '../parts/icons.tsx';
import { type Attached, attach, attachedTo, detach } from './attached.ts';

/** Shows the files for the next prompt, each with its progress and a button that removes it. */
export function AttachedFiles({ slug }: { slug: string }) {
  const { value: files } = attachedTo(slug);
  if (files.length === 0) return null;
  return (
    <ul class="attached" aria-label="Files for this prompt">
      {files.map((file) => (
        <li key={file.key} class={file.state.at === 'failed' ? 'bad' : ''}>
          <span class="attached-name">{file.name === '' ? 'file' : file.name}</span>
          <span class="faint">{stateText(file)}</span>
          {file.state.at === 'sending' && <progress value={file.state.part} aria-label={`Uploading ${file.name}`} />}
          <button
            type="button"
            class="button quiet icon"
            aria-label={`Remove ${file.name}`}
            onClick={() => detach(slug, file)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function stateText({ state, size }: Attached): string {
  return state.at === 'failed' ? state.why : formatSize(size);
}

/**
 * Accepts files that the user drops anywhere on the page. Otherwise, if a file missed the prompt, the browser would
 * leave the page and open the file.
 */
export function useDroppedFiles(slug: string, isDisabled: boolean): void {
  useEffect(() => {
    const filesIn = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;
    const allow = (event: DragEvent): void => {
      if (filesIn(event)) event.preventDefault();
    };
    const take = (event: DragEvent): void => {
      if (!filesIn(event)) return;
      event.preventDefault();
      if (!isDisabled) attach(slug, [...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', allow);
    addEventListener('drop', take);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', take);
    };
  }, [slug, isDisabled]);
}

/** A button that opens the device's file picker, which on a phone also offers the camera. */
export function AttachButton({ slug, isDisabled }: { slug: string; isDisabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          attach(slug, [...(currentTarget.files ?? [])]);
          // Clear the input, so that the user can choose the same file again.
          currentTarget.value = '';
        }}
      />
      <button type="button" class="button quiet" disabled={isDisabled} onClick={() => input.current?.click()}>
        <Icon name="attach" />
        Attach
      </button>
    </>
  );
}
