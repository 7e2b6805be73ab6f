import { FitAddon } from '@xterm/addon-fit';
import { WebglAddon } from '@xterm/addon-webgl';
import { type IDisposable, Terminal } from '@xterm/xterm';
import { Emitter } from '../../emitter/emitter.ts';
import { boundCounts } from '../../text/bounded-counts.ts';
import { safeAddress } from '../conversation/safe-address.ts';
import { COLOURS } from './colours.ts';

/**
 * How many lines above the screen a user can scroll back. Older lines are in the replay. Each line costs 12 bytes per
 * column.
 */
const SCROLLBACK_LINES = 5_000;
/**
 * The usual font size, readable on every screen. A smaller font is used only to fit the session's own width into the
 * window.
 */
const FONT_PX = 13;
const SMALLEST_FONT_PX = 9;

/** The margin below the last line of text. */
const END_MARGIN_PX = 12;

/** The sizes at which Claude Code draws well. The protocol refuses other sizes. */
const LIMITS = { cols: { min: 20, max: 500 }, rows: { min: 5, max: 200 } };

/** A terminal in the page. It shows the data that it receives and sends no answers. */
export interface Screen {
  /**
   * @param onDrawn called once the data has been parsed
   */
  write(data: string, onDrawn?: () => void): void;
  clear(): void;
  resize(cols: number, rows: number): void;
  /** whether keypresses are accepted; the focus is set to match */
  setInput(isTaken: boolean): void;
  onTyped(listener: (keys: string) => void): () => void;
  /** called on Shift+Escape, which releases the keyboard */
  onRelease(listener: () => void): () => void;
  /** the columns and rows that fit the element at the usual font size, or null while the element is not shown */
  fittingSize(): { cols: number; rows: number } | null;
  dispose(): void;
}

export function createScreen(parent: HTMLElement): Screen {
  const terminal = new Terminal({
    scrollback: SCROLLBACK_LINES,
    fontSize: FONT_PX,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    lineHeight: 1.15,
    disableStdin: true,
    cursorInactiveStyle: 'none',
    minimumContrastRatio: 4.5,
    theme: COLOURS,
    // A link from a session (OSC 8) is followed only on purpose, and never if it could run something.
    linkHandler: {
      activate: (event, text) => {
        const address = safeAddress(text);
        if (address !== null && (event.ctrlKey || event.metaKey)) window.open(address, '_blank', 'noopener,noreferrer');
      },
      allowNonHttpProtocols: false,
    },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  boundCounts(terminal);
  silenceReplies(terminal);
  terminal.open(parent);
  startWebgl(terminal);
  terminal.textarea?.setAttribute('tabindex', '-1');

  const typed = new Emitter<[keys: string]>();
  const released = new Emitter();
  terminal.onData((keys) => typed.tell(keys));
  terminal.onBinary((keys) => typed.tell(keys));
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'Escape' || !event.shiftKey) return true;
    if (event.type === 'keydown') released.tell();
    return false;
  });

  const shrinkToWidth = (): void => {
    terminal.options.fontSize = FONT_PX;
    const fitting = fit.proposeDimensions();
    if (fitting === undefined || Number.isNaN(fitting.cols)) return;
    if (terminal.cols <= fitting.cols) return;
    const size = Math.floor(((FONT_PX * fitting.cols) / terminal.cols) * 2) / 2;
    terminal.options.fontSize = Math.max(SMALLEST_FONT_PX, size);
  };
  const following = followEnd(parent, terminal);
  const observer = new ResizeObserver(() => {
    shrinkToWidth();
    following.update();
  });
  observer.observe(parent);

  return {
    write: (data, onDrawn) =>
      terminal.write(data, () => {
        following.update();
        onDrawn?.();
      }),
    clear: () => terminal.reset(),
    resize: (cols, rows) => {
      if (terminal.cols !== cols || terminal.rows !== rows) terminal.resize(cols, rows);
      shrinkToWidth();
      following.update();
    },
    setInput: (isTaken) => {
      terminal.options.disableStdin = !isTaken;
      if (isTaken) terminal.focus();
      else terminal.blur();
    },
    onTyped: typed.on,
    onRelease: released.on,
    fittingSize: () => {
      const before = terminal.options.fontSize;
      terminal.options.fontSize = FONT_PX;
      const fitting = fit.proposeDimensions();
      terminal.options.fontSize = before ?? FONT_PX;
      if (fitting === undefined || Number.isNaN(fitting.cols)) return null;
      return { cols: within(fitting.cols, LIMITS.cols), rows: within(fitting.rows, LIMITS.rows) };
    },
    dispose: () => {
      observer.disconnect();
      following.dispose();
      terminal.dispose();
    },
  };
}

/**
 * Drops all replies to escape sequences that query the terminal. Screen has already answered them. Replies from every
 * open page would be typed into the session as if by a user.
 */
function silenceReplies({ parser }: Terminal): IDisposable[] {
  const drop = (): boolean => true;
  const asks = [
    { final: 'c' },
    { prefix: '>', final: 'c' },
    { prefix: '=', final: 'c' },
    { prefix: '>', final: 'q' },
    { final: 'n' },
    { prefix: '?', final: 'n' },
    { final: 't' },
    { intermediates: '$', final: 'p' },
    { prefix: '?', intermediates: '$', final: 'p' },
    { prefix: '?', final: 'u' },
  ];
  const colours = [4, 10, 11, 12].map((ident) => parser.registerOscHandler(ident, drop));
  return [
    ...asks.map((id) => parser.registerCsiHandler(id, drop)),
    ...colours,
    // The clipboard belongs to the user, so no session may read or write it.
    parser.registerOscHandler(52, drop),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, drop),
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, drop),
  ];
}

/**
 * Keeps the end of the screen in view. A session's screen may be taller than the window, and the important part is at
 * its end. A user can scroll away from the end. The wheel first scrolls within the screen, then through the scrollback.
 */
function followEnd(parent: HTMLElement, terminal: Terminal): { update(): void; dispose(): void } {
  let isAway = false;
  let frame = 0;
  const endOfText = (): number => {
    const { active } = terminal.buffer;
    for (let row = terminal.rows - 1; row > 0; row--) {
      if (active.getLine(active.baseY + row)?.translateToString(true) !== '') return (row + 1) / terminal.rows;
    }
    return 1 / terminal.rows;
  };
  const wantedTop = (): number => {
    const height = terminal.element?.offsetHeight ?? 0;
    return Math.max(0, Math.ceil(endOfText() * height) + END_MARGIN_PX - parent.clientHeight);
  };
  const update = (): void => {
    if (isAway || frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      parent.scrollTop = wantedTop();
    });
  };
  const handleWheel = (event: WheelEvent): void => {
    const { active } = terminal.buffer;
    const movesUp = event.deltaY < 0 && parent.scrollTop > 0;
    const room = parent.scrollHeight - parent.clientHeight - parent.scrollTop;
    const movesDown = event.deltaY > 0 && room > 1 && active.viewportY === active.baseY;
    // Otherwise xterm would scroll its own scrollback.
    if (movesUp || movesDown) event.stopPropagation();
  };
  const handleScroll = (): void => {
    isAway = parent.scrollTop < wantedTop() - 2;
  };
  parent.addEventListener('wheel', handleWheel, { capture: true, passive: true });
  parent.addEventListener('scroll', handleScroll, { passive: true });
  return {
    update,
    dispose: () => {
      cancelAnimationFrame(frame);
      parent.removeEventListener('wheel', handleWheel, { capture: true });
      parent.removeEventListener('scroll', handleScroll);
    },
  };
}

/**
 * Uses the graphics card if there is one. If there is no graphics card or it becomes unavailable, elements are used,
 * which are slower but look the same.
 */
function startWebgl(terminal: Terminal): void {
  try {
    const webgl = new WebglAddon();
    webgl.onContextLoss(() => webgl.dispose());
    terminal.loadAddon(webgl);
  } catch {
    // There is no WebGL 2, so xterm's own renderer is kept.
  }
}

function within(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value));
}
