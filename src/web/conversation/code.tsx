import { useEffect, useRef, useState } from 'preact/hooks';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { theme } from '../app/theme.ts';
import { retryWhileAway } from '../connection/late-part.ts';
import { Icon } from '../parts/icons.tsx';
import { tellError } from '../parts/toasts.tsx';
import { colour, keptColours } from './colours.ts';
import type { CodeToColour, Highlighted } from './highlight.ts';

/** The maximum number of characters to highlight. Highlighting more would take longer than reading it. */
const MAX_COLOURED = 20_000;

/** Report a failure only once, because everything is readable without colours. */
let isBroken = false;

/** Shows a block of code. It is highlighted as soon as the colours are available. */
export function Code({ text: raw, language }: { text: string; language: string }) {
  const text = showHiddenMarks(raw);
  const { lines, rest } = useColours({ text, language, theme: theme.value });
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll wide code, too */}
      <pre class="code" tabIndex={0}>
        <code>
          {lines !== null && <Lines lines={lines} />}
          {rest}
        </code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** How long the button says that the text has been copied. */
const COPIED_MS = 2_000;

/**
 * A button that copies the text as it is shown, including the escapes for invisible characters. A page that was loaded
 * from another machine over unencrypted HTTP cannot access the clipboard.
 */
function CopyButton({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  // On such a page, the clipboard is missing, although it is declared in the types.
  if ((navigator.clipboard as Clipboard | undefined) === undefined) return null;
  return (
    <button
      type="button"
      class="button quiet icon copy"
      aria-label={isCopied ? 'Copied' : 'Copy'}
      onClick={() => {
        navigator.clipboard.writeText(text).then(() => setIsCopied(true), tellError);
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}

/**
 * Returns the part of the code that has been highlighted, and the rest. While code is still being written, its
 * beginning keeps its colours.
 */
function useColours(code: CodeToColour): { lines: Highlighted | null; rest: string } {
  const { text, language, theme } = code;
  const [last, setLast] = useState<{ code: CodeToColour; lines: Highlighted } | null>(null);
  const isAsked = useRef(false);
  const whole = keptColours(code);
  const isWanted = whole === undefined && language !== '' && text.length <= MAX_COLOURED;
  useEffect(() => {
    // Only one request runs at a time. When it is done, the next request contains the text as it is at that time.
    if (!isWanted || isAsked.current || isBroken) return;
    isAsked.current = true;
    retryWhileAway(() => colour(code))
      .then((lines) => {
        if (lines !== null) setLast({ code, lines });
      })
      .catch((error: unknown) => {
        if (!isBroken) tellError(error);
        isBroken = true;
      })
      .finally(() => {
        isAsked.current = false;
      });
  }, [isWanted, text, language, theme, last]);
  if (whole != null) return { lines: whole, rest: '' };
  const isBeginning = last?.code.language === language && last.code.theme === theme && text.startsWith(last.code.text);
  return isBeginning ? { lines: last.lines, rest: text.slice(last.code.text.length) } : { lines: null, rest: text };
}

function Lines({ lines }: { lines: Highlighted }) {
  return (
    <>
      {lines.map((line, at) => (
        <span key={at}>
          {line.map(({ text, colour }, index) => (
            <span key={index} style={colour === null ? undefined : { color: colour }}>
              {text}
            </span>
          ))}
          {at < lines.length - 1 ? '\n' : ''}
        </span>
      ))}
    </>
  );
}
