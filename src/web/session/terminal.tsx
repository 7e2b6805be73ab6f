import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { createPortal } from 'preact/compat';
import { useEffect, useRef } from 'preact/hooks';
import { type Elsewhere, elsewhereOf, type SeenSession } from '../../protocol/index.ts';
import { isParked } from '../actions/deeds.ts';
import { link } from '../connection/fleet.ts';
import { latePart } from '../connection/late-part.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { Icon } from '../parts/icons.tsx';
import { tell, tellError } from '../parts/toasts.tsx';
import type { LiveTerminal } from '../terminal/live-terminal.ts';
import { KeyBar } from './key-bar.tsx';

/** Load this part when the first terminal is opened, because it makes up half of the page's code. */
const loadTerminal = latePart(() => import('../terminal/live-terminal.ts'));

/**
 * Shows the session's own terminal. @param props.tools the element at the top of the page into which to put its buttons
 */
export function SessionTerminal({ session, tools }: { session: SeenSession; tools: RefObject<HTMLElement | null> }) {
  const { slug, cols, rows } = session;
  const place = useRef<HTMLDivElement>(null);
  const terminal = useSignal<LiveTerminal | null>(null);
  const hasKeyboard = useSignal(false);
  const head = useSignal<HTMLElement | null>(null);
  useEffect(() => {
    head.value = tools.current;
  }, []);
  const elsewhere = elsewhereOf(session);
  const isLive = elsewhere?.isLive ?? true;
  const isOld = (elsewhere?.asOf ?? null) !== null;
  const canType =
    session.adopted &&
    session.status.primary !== 'dead' &&
    !isParked(session) &&
    link.value === 'live' &&
    (elsewhere === null || mayType(elsewhere));

  useEffect(() => {
    let isGone = false;
    let opened: LiveTerminal | null = null;
    void loadTerminal()
      .then(({ openLiveTerminal }) => {
        if (isGone || place.current === null) return;
        opened = openLiveTerminal({
          slug,
          parent: place.current,
          onKeyboard: (isTaken) => {
            hasKeyboard.value = isTaken;
          },
        });
        terminal.value = opened;
      })
      .catch(tellError);
    return () => {
      isGone = true;
      opened?.dispose();
      terminal.value = null;
    };
    // A session on another machine that is adopted, or whose machine is updated, is then followed in another way.
  }, [slug, isLive, elsewhere === null || session.adopted]);

  useEffect(() => {
    if (cols !== null && rows !== null) terminal.value?.resize(cols, rows);
  }, [cols, rows, terminal.value]);
  useEffect(() => {
    if (!canType) terminal.value?.releaseKeyboard();
  }, [canType, terminal.value]);

  const toggleKeyboard = (): void => {
    if (hasKeyboard.value) terminal.value?.releaseKeyboard();
    else if (canType) terminal.value?.takeKeyboard();
    else if (elsewhere?.isLive === false) tell(`In a terminal, cbos attach ${slug} opens this one`);
    else if (elsewhere !== null && !mayType(elsewhere)) tell(`This machine may not type on ${elsewhere.machine} now`);
    else if (isParked(session)) tell('The session is parked; Wake brings back its terminal');
    else tell(session.adopted ? 'You cannot type into the session now' : 'Adopt the session first: cbos adopt');
  };
  useShortcuts([{ keys: 't', does: 'Take the terminal’s keyboard', run: toggleKeyboard }], [slug, canType]);

  return (
    <div class={`terminal-pane ${hasKeyboard.value ? 'has-keyboard' : ''}`}>
      {head.value !== null &&
        createPortal(
          <>
            {hasKeyboard.value && <span class="types-here">Your keyboard types here</span>}
            <button
              type="button"
              class="button quiet icon"
              disabled={!canType}
              aria-label="Fit"
              title={`Resize the session (${cols}×${rows}) to fit here; everybody else then sees that size, too`}
              onClick={() => terminal.value?.fitSession()}
            >
              <Icon name="fit" />
            </button>
            <button
              type="button"
              class="button"
              aria-label={hasKeyboard.value ? 'Release the keyboard' : 'Take the keyboard'}
              aria-pressed={hasKeyboard.value}
              disabled={!canType}
              onClick={toggleKeyboard}
            >
              <Icon name="keyboard" />
              <span class="wide-only">{hasKeyboard.value ? 'Release the keyboard' : 'Keyboard'}</span>
            </button>
          </>,
          head.value,
        )}
      <section class="terminal" ref={place} data-old={isOld ? 'true' : undefined} aria-label={`Terminal of ${slug}`} />
      {hasKeyboard.value && <KeyBar onKeys={(keys) => terminal.value?.type(keys)} />}
    </div>
  );
}

/** Reports whether keys can be typed into a terminal on another machine, which decides about each key. */
const mayType = ({ asOf, isLive, may }: Elsewhere): boolean => asOf === null && isLive && may.includes('type');
