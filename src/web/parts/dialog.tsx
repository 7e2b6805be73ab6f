import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  label: string;
  onClose: () => void;
  /** for tables and code */
  isWide?: boolean;
  /** what has the focus at first, its text selected; left out: the first that can have it */
  focus?: RefObject<HTMLElement | null>;
  children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it and gives it back, and Escape closes it. */
export function Dialog({ label, onClose, isWide = false, focus, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    focus?.current?.focus();
    if (focus?.current instanceof HTMLInputElement) focus.current.select();
    return () => {
      isGone.current = true;
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? 'wide' : ''}
      aria-label={label}
      onClose={() => {
        // The browser tells it a moment later: by then another dialog may be open.
        if (!isGone.current) onClose();
      }}
      onKeyDown={(event) => {
        // The browser would close it as well, and tell of it a moment later: a key that opens the next one may come
        // before that.
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => {
        if (target === element.current) element.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
