import { FitAddon } from '@xterm/addon-fit';
import { WebglAddon } from '@xterm/addon-webgl';
import { type IDisposable, Terminal } from '@xterm/xterm';
import { Emitter } from '../../emitter/emitter.ts';
import { boundCounts } from '../../text/bounded-counts.ts';
import { safeAddress } from '../conversation/safe-address.ts';
import { COLOURS } from './colours.ts';

/** Lines above the screen that can be scrolled to. What is older is in the replay; each costs 12 bytes a column. */
const SCROLLBACK_LINES = 5_000;
/** Readable on every screen; smaller ones only to get the session's own width into the window. */
const FONT_PX = 13;
const SMALLEST_FONT_PX = 9;

/** Below the last line of text. */
const END_MARGIN_PX = 12;

/** What Claude Code draws well in; the protocol refuses other sizes. */
const LIMITS = { cols: { min: 20, max: 500 }, rows: { min: 5, max: 200 } };

/** A terminal in the page: it shows what it is given, and answers nothing by itself. */
export interface Screen {
  /** @param onDrawn called when it is parsed */
  write(data: string, onDrawn?: () => void): void;
  clear(): void;
  resize(cols: number, rows: number): void;
  /** whether keys are taken; the focus goes with it */
  setInput(isTaken: boolean): void;
  onTyped(listener: (keys: string) => void): () => void;
  /** Shift and Escape: the keyboard is given back */
  onRelease(listener: () => void): () => void;
  /** columns and rows that fit the element at the usual font size; null while it is not shown */
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
    // A link of a session (OSC 8) is followed on purpose only, and never where it could run something.
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
 * Escape sequences that ask a terminal for an answer are answered by Screen already. Replies of every page that looks
 * would be typed into the session as if a person had: all of them are dropped.
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
    // The clipboard is the person's: no session reads or writes it.
    parser.registerOscHandler(52, drop),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, drop),
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, drop),
  ];
}

/**
 * A session's screen may be higher than the window has room for. What matters is at its end, so the end stays in view,
 * unless a person scrolls away from it. The wheel moves the window over the screen first, then the screen over the
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
    // Otherwise xterm takes it for its scrollback.
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
 * Drawn by the graphics card where there is one; by elements, slower but the same, where there is none or it goes away.
 */
function startWebgl(terminal: Terminal): void {
  try {
    const webgl = new WebglAddon();
    webgl.onContextLoss(() => webgl.dispose());
    terminal.loadAddon(webgl);
  } catch {
    // No WebGL 2: xterm's own renderer stays.
  }
}

function within(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value));
}
