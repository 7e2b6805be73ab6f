import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { useReadToEnd } from './read-to-end.ts';

interface TrustableFile {
  path: string;
  state: string;
  content: string | null;
  /** the digest of the content */
  sha256: string | null;
}

interface FileToTrustProps<File extends TrustableFile> {
  label: string;
  file: File;
  /** the file's state in words */
  stateText: string;
  /** shown below the path */
  notices: ComponentChildren;
  /** stops trusting the file, or null if it is not trusted */
  onUntrust: (() => Promise<void>) | null;
  /** the label of the button that trusts the file, or null if it may not be trusted */
  action: string | null;
  /** Trusts the version that the user has read, and returns whether that succeeded. */
  onTrust(read: File): Promise<boolean>;
  /** Draws the content of the file, in which nothing is hidden. */
  contentOf(read: File): ComponentChildren;
}

/**
 * Shows the state and content of a file. The user can trust the file, but only with exactly the content that was shown,
 * and only once the end of that content has been visible.
 */
export function FileToTrust<File extends TrustableFile>(props: FileToTrustProps<File>) {
  const { label, file, stateText, notices, onUntrust, action } = props;
  /** the file as it was when the user opened it, which is the only content that can be trusted */
  const opened = useSignal<File | null>(null);
  const trust = async (read: File): Promise<void> => {
    if (await props.onTrust(read)) opened.value = null;
  };
  const read = opened.value;
  return (
    <section class="card stack" aria-label={label}>
      <div class="row wrap">
        <code class="grow rule-about">{showHiddenMarks(file.path)}</code>
        <span class="chip" data-file={file.state}>
          {stateText}
        </span>
      </div>
      {notices}
      <div class="row end">
        {onUntrust !== null && (
          <button type="button" class="button quiet" onClick={() => void onUntrust()}>
            Stop trusting
          </button>
        )}
        {file.content !== null && (
          <button
            type="button"
            class="button"
            aria-expanded={read !== null}
            onClick={() => {
              opened.value = read === null ? file : null;
            }}
          >
            {read === null ? 'Read it' : 'Close it'}
          </button>
        )}
      </div>
      {read !== null && (
        <Content isSame={read.sha256 === file.sha256} action={action} onTrust={() => void trust(read)}>
          {props.contentOf(read)}
        </Content>
      )}
    </section>
  );
}

interface ContentProps {
  /** whether the file still has the content that is shown */
  isSame: boolean;
  action: string | null;
  onTrust(): void;
  children: ComponentChildren;
}

function Content({ isSame, action, onTrust, children }: ContentProps) {
  const body = useRef<HTMLDivElement>(null);
  const isRead = useReadToEnd(body);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a long file, too */}
      <div ref={body} class="rule-content" tabIndex={0}>
        {children}
      </div>
      {!isSame && <p class="notice">The file has changed since you opened it. Close it, and read it again.</p>}
      {action !== null && (
        <div class="row end">
          {!isRead && <span class="faint">Read the file to the end first.</span>}
          <button type="button" class="button primary" disabled={!isRead || !isSame} onClick={onTrust}>
            {action}
          </button>
        </div>
      )}
    </>
  );
}
