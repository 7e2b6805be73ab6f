import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useReadToEnd } from '../session/read-to-end.ts';

interface ReadToTrustProps {
  /** whether the file still has the content that is shown */
  isSame: boolean;
  /** the label of the button that trusts the file; null if the file may not be trusted */
  action: string | null;
  onTrust(): void;
  /** the content of the file, in which nothing is hidden */
  children: ComponentChildren;
}

/** Shows the content of a file. A person can trust the file once its end has been on the screen. */
export function ReadToTrust({ isSame, action, onTrust, children }: ReadToTrustProps) {
  const body = useRef<HTMLDivElement>(null);
  const isRead = useReadToEnd(body);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long file is scrolled by the keyboard as well */}
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
