import { createKeySender, isLoss } from '../../client/index.ts';
import { splitRemoteName } from '../../protocol/index.ts';
import { client, command, followRecording, link, onFrame } from '../connection/fleet.ts';
import { attempt, tell, tellError } from '../parts/toasts.tsx';
import { createScreen } from './screen.ts';

export interface LiveTerminalOptions {
  slug: string;
  /** the empty element that the terminal will fill */
  parent: HTMLElement;
  onKeyboard(isTaken: boolean): void;
}

export interface LiveTerminal {
  /** the size of the session's own terminal */
  resize(cols: number, rows: number): void;
  takeKeyboard(): void;
  releaseKeyboard(): void;
  /** sends keys that the user presses in the key bar */
  type(keys: string): void;
  /** Asks the session to change to the size that fits the element. `resize` is called after it has changed. */
  fitSession(): void;
  dispose(): void;
}

/** Opens a session's live terminal. It shows the current screen first, and then all output as it arrives. */
export function openLiveTerminal({ slug, parent, onKeyboard }: LiveTerminalOptions): LiveTerminal {
  const screen = createScreen(parent);
  let hasKeyboard = false;

  const setKeyboard = (isTaken: boolean): void => {
    if (hasKeyboard === isTaken) return;
    hasKeyboard = isTaken;
    screen.setInput(isTaken);
    onKeyboard(isTaken);
  };
  const isFar = splitRemoteName(slug) !== null;
  // Another machine gets keys as `cbos attach` sends them: in order, each with a ticket, and none of them later.
  const sender = createKeySender({
    client,
    slug,
    onFailed: (error) => {
      setKeyboard(false);
      if (error === null) tell('Too many keys were waiting; the last ones were dropped');
      else if (isLoss(error)) tell(`The last keys were not typed, or may not have been: ${error.message}`);
      else tellError(error);
    },
    onBroken: tellError,
  });
  const type = (keys: string): void => {
    if (!hasKeyboard) return;
    if (isFar) sender.type(keys);
    else if (!command({ type: 'keys', session: slug, keys })) setKeyboard(false);
  };
  const disposers = [
    screen.onTyped(type),
    screen.onRelease(() => setKeyboard(false)),
    onFrame((frame) => {
      if (frame.type === 'reset' && frame.session === slug) screen.clear();
      if (frame.type !== 'stream' || frame.session !== slug) return;
      if (frame.snapshot === true) screen.clear();
      const { offset } = frame;
      // Acknowledge output when it has been drawn, not when it arrives, so that the server sends less to a slow client.
      screen.write(frame.data, () => void command({ type: 'ack', session: slug, offset }));
    }),
    // Discard keys that the user presses while the connection is lost. They must not arrive minutes later, when the
    // screen may show something else.
    link.subscribe((now) => {
      if (now !== 'live') setKeyboard(false);
    }),
    followRecording(slug),
  ];

  return {
    resize: screen.resize,
    takeKeyboard: () => setKeyboard(true),
    releaseKeyboard: () => setKeyboard(false),
    type,
    fitSession: () => {
      const size = screen.fittingSize();
      if (size === null) return;
      if (isFar) void attempt(() => client.call('resize', { params: { slug }, body: size }));
      else command({ type: 'resize', session: slug, ...size });
    },
    dispose: () => {
      for (const dispose of disposers.splice(0)) dispose();
      screen.dispose();
    },
  };
}
