import { FitAddon } from '@xterm/addon-fit';
import { WebglAddon } from '@xterm/addon-webgl';
import { type IDisposable, Terminal } from '@xterm/xterm';
import { Emitter } from '../../emitter/emitter.ts';
import { boundCounts } from '../../text/bounded-counts.ts';
import { safeAddress } from '../conversation/safe-address.ts';
import { COLOURS } from './colours.ts';

/** How many lines the user can scroll back. Older lines are in the replay. Each line takes 12 bytes per column. */
const SCROLLBACK_LINES = 5_000;
/**
 * The usual font size, which is readable on all screens. A smaller font is used only if the session would not fit into
 * the window otherwise.
 */
const FONT_PX = 13;
const SMALLEST_FONT_PX = 9;

/** The space below the last line of text. */
const END_MARGIN_PX = 12;

/** The range of sizes for which Claude Code draws correctly. The protocol rejects other sizes. */
const LIMITS = { cols: { min: 20, max: 500 }, rows: { min: 5, max: 200 } };

/** A terminal in the page. It shows the data that it receives, but does not reply to queries. */
export interface Screen {
  /** @param onDrawn called after the data has been parsed */
  write(data: string, onDrawn?: () => void): void;
  clear(): void;
  resize(cols: number, rows: number): void;
  /** whether the terminal accepts keypresses; setting this also moves the focus */
  setInput(isTaken: boolean): void;
  onTyped(listener: (keys: string) => void): () => void;
  /** called when the user presses Shift+Escape, which releases the keyboard */
  onRelease(listener: () => void): () => void;
  /**
   * returns how many columns and rows fit into the element at the usual font size, or null while the element is hidden
   */
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
    // A link from a session (OSC 8) is followed only if the user does so on purpose, and never if it could execute
    // something.
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
 * Suppresses all replies to escape sequences that query the terminal. Screen has already answered them. A reply from
 * each open page would be typed into the session as if the user had typed it.
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
    // The clipboard belongs to the user. Sessions must neither read nor write it.
    parser.registerOscHandler(52, drop),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, drop),
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, drop),
  ];
}

/**
 * Keeps the end of the screen in view, because the screen may be taller than the window and its important part is at
 * the end. The user can scroll away from the end. The wheel scrolls within the screen first, and then through the
 * scrollback.
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
    // Otherwise xterm.js would scroll through its own scrollback.
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
 * Draws with the graphics card if there is one. Without a graphics card, or if it becomes unavailable, the terminal is
 * drawn with elements, which is slower but looks the same.
 */
function startWebgl(terminal: Terminal): void {
  try {
    const webgl = new WebglAddon();
    webgl.onContextLoss(() => webgl.dispose());
    terminal.loadAddon(webgl);
  } catch {
    // WebGL 2 is not available, so keep the default renderer of xterm.js.
  }
}

function within(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value));
}
