import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { theme } from '../app/theme.ts';
import { showHiddenMarks } from '../parts/hidden-marks.ts';
import { tellError } from '../parts/toasts.tsx';
import { loadPart } from '../server/load-part.ts';
import type { Highlight, Highlighted } from './highlight.ts';

/** Colouring more takes longer than reading it. */
const MAX_COLOURED = 20_000;

/** Loaded with the first code that is shown. */
const highlighter = signal<Highlight | null>(null);
let isAsked = false;

async function loadHighlighter(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  const { createHighlight } = await loadPart(() => import('./highlight.ts'));
  const highlight = await createHighlight({
    // Another function, so that everything that is shown asks again: a language has come.
    onLoaded: () => {
      highlighter.value = (code) => highlight(code);
    },
    onError: tellError,
  });
  highlighter.value = highlight;
}

/** A block of code, coloured as soon as the colours are there. */
export function Code({ text: raw, language }: { text: string; language: string }) {
  const text = showHiddenMarks(raw);
  const isColoured = language !== '' && text.length <= MAX_COLOURED;
  useEffect(() => {
    if (isColoured) loadHighlighter().catch(tellError);
  }, [isColoured]);
  const lines = isColoured ? (highlighter.value?.({ text, language, theme: theme.value }) ?? null) : null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: wide code is scrolled by the keyboard as well
    <pre class="code" tabIndex={0}>
      <code>{lines === null ? text : <Lines lines={lines} />}</code>
    </pre>
  );
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
