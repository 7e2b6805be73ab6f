import { closeOverlay } from '../navigation/overlay.ts';

/** A button that closes the dialog that contains it. */
export const CloseButton = ({ children }: { children: string }) => (
  <button type="button" class="button" onClick={closeOverlay}>
    {children}
  </button>
);
