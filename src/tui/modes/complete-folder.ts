import { pathText } from '../../text/session-words.ts';
import type { App } from '../app.ts';
import { editorOf } from '../input/editor.ts';
import type { Form } from './new-session-fields.ts';

/** The folders that complete what is written in the field for the folder. */
interface Folders {
  lookUp(): void;
  /** @returns false if there is nothing to complete */
  complete(): boolean;
}

/** @param onFound called when the folders have been found that Tab was waiting for */
export function createFolders(app: App, form: Form, onFound: () => void): Folders {
  const home = app.options.env.HOME;
  const lookUp = (): void => {
    const asked = form.texts.folder.text;
    const isLast = (): boolean => form.texts.folder.text === asked;
    form.isLookingUp = true;
    app.run(async () => {
      try {
        const { folders } = await app.client.call('completeFolder', { query: { path: asked } });
        // The text has changed since the request, so discard the response.
        if (isLast()) {
          form.folders = folders.map((folder) => pathText(folder, home));
          form.chosen = -1;
        }
      } finally {
        if (isLast()) {
          form.isLookingUp = false;
          if (form.tabWaits) onFound();
          app.changed();
        }
      }
    });
  };
  const complete = (): boolean => {
    const [first] = form.folders;
    const typed = form.texts.folder.text;
    // If the field contains the path of a folder, move to the next field. To choose a folder inside that folder, the
    // user types a slash first.
    if (first === undefined || typed.endsWith('/') || form.folders.includes(typed)) return false;
    let end = first.length;
    while (!form.folders.every((folder) => folder.startsWith(first.slice(0, end)))) end--;
    const completed = first.slice(0, end);
    if (completed.length <= typed.length) return false;
    form.texts.folder = editorOf(completed);
    form.isProposed = false;
    lookUp();
    return true;
  };
  return { lookUp, complete };
}
