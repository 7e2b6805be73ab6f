import { useEffect, useState } from 'preact/hooks';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { languageNamed } from '../../text/syntax/languages.ts';
import { Icon } from '../parts/icons.tsx';
import { tellError } from '../parts/toasts.tsx';
import { ColouredLine } from '../syntax/coloured-line.tsx';
import { type Coloured, useColours } from '../syntax/use-colours.ts';

/** The maximum number of characters to highlight. Highlighting more would take longer than reading it. */
const MAX_COLOURED = 20_000;

/** Shows a block of code. It is highlighted as soon as the colours are available. */
export function Code({ text: raw, language }: { text: string; language: string }) {
  const text = showHiddenMarks(raw);
  const { beginning, rest } = useBeginning(text, language);
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll wide code, too */}
      <pre class="code" tabIndex={0}>
        <code>
          {beginning !== null && <Lines {...beginning} />}
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
 * Returns the part of the code that has been coloured, and the rest. While code is still being written, its beginning
 * keeps its colours.
 */
function useBeginning(text: string, name: string): { beginning: Coloured | null; rest: string } {
  const language = text.length > MAX_COLOURED ? null : languageNamed(name);
  const coloured = useColours(language === null ? null : { of: 'code', text, language });
  const isBeginning =
    coloured?.code.of === 'code' && coloured.code.language === language && text.startsWith(coloured.code.text);
  return isBeginning
    ? { beginning: coloured, rest: text.slice(coloured.code.text.length) }
    : { beginning: null, rest: text };
}

function Lines({ code, lines }: Coloured) {
  const texts = code.text.split('\n');
  return (
    <>
      {texts.map((text, at) => (
        <span key={at}>
          <ColouredLine text={text} tokens={lines[at] ?? null} />
          {at < texts.length - 1 ? '\n' : ''}
        </span>
      ))}
    </>
  );
}
