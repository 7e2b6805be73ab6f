import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  label: string;
  onClose: () => void;
  /** whether the dialog is wide enough for tables and code */
  isWide?: boolean;
  /**
   * the element that gets the focus at first, with its text selected; if omitted, it is the first element that can have
   * the focus
   */
  focus?: RefObject<HTMLElement | null>;
  children: ComponentChildren;
}

/**
 * A modal dialog. The browser keeps the focus inside the dialog and restores it afterwards. Escape closes the dialog.
 */
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
        // The browser sends the close event a moment later, when another dialog may already be open.
        if (!isGone.current) onClose();
      }}
      onKeyDown={(event) => {
        // Otherwise the browser would close the dialog as well, and send the event for that a moment later, possibly
        // after a keypress has opened the next dialog.
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
