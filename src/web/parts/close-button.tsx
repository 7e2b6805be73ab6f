import { closeOverlay } from '../app/overlay.ts';

/** Closes the dialog that contains the button. */
export const CloseButton = ({ children }: { children: string }) => (
  <button type="button" class="button" onClick={closeOverlay}>
    {children}
  </button>
);
