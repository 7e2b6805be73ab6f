/** What the screen shows of a dialog. */
export interface DrawnDialog {
  /** the fingerprint of its kind, its text, and its options */
  looks: string;
  /** when the screen began to look like this, by the clock as it was before anyone changed it */
  openedAt: number;
}

/** What hooks report about the call of a dialog. */
export interface CalledDialog {
  /** when the call was announced, by the clock as it was before anyone changed it */
  at: number;
  /** whether the call waits for permission */
  isAsked: boolean;
}

/** A dialog that was shown as a question. The object contains only JSON values, because it is stored. */
export interface ShownDialog {
  /** the id of its question */
  id: string;
  /** other ids under which it was shown, if CBOS took it for several dialogs at first */
  also: readonly string[];
  /** the identity of the call that a hook has reported, or null if none has */
  call: string | null;
  /** what the screen showed last, or null if it did not show the dialog, or the dialog closed before a hook named it */
  drawn: DrawnDialog | null;
  /** whether the call was waiting for permission when the dialog was shown last */
  isAsked: boolean;
  /**
   * when the screen began to look like this again for a restarted server, or null if that server has not seen the
   * screen yet; absent if this server has shown the dialog
   */
  redrawnAt?: number | null;
}

/** Returns the dialogs that a previous server has shown. The next server does not know when they were drawn. */
export const restoreDialogs = (shown: readonly ShownDialog[]): ShownDialog[] =>
  shown.map((one) => ({ ...one, redrawnAt: null }));

/** What is remembered of the dialogs of a session. */
export interface RememberedDialogs {
  /** the dialogs that were shown so far, the newest last */
  shown: readonly ShownDialog[];
}

/** What identifies the dialog of the oldest question. */
export interface NoticedDialog {
  /** what the screen shows of it, or null if the screen does not show it */
  drawn: DrawnDialog | null;
  /** what hooks report about its call, or null if they have not reported the call */
  called: CalledDialog | null;
}
