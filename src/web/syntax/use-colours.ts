import { useEffect, useRef, useState } from 'preact/hooks';
import { retryWhileAway } from '../connection/late-part.ts';
import { tellError } from '../parts/toasts.tsx';
import type { CodeToColour } from './colour-worker.ts';
import { type ColouredLines, colour, keptColours } from './colours.ts';

/** Report a failure only once, because everything is readable without colours. */
let isBroken = false;

/** The lines of some code, or of an earlier state of it, in colours. */
export interface Coloured {
  code: CodeToColour;
  lines: ColouredLines;
}

/**
 * Returns the colours of some code as soon as they are known. Until then, returns the last colours that were known,
 * which may be those of other code, or null.
 * @param code null if there is nothing to colour
 */
export function useColours(code: CodeToColour | null): Coloured | null {
  const [last, setLast] = useState<Coloured | null>(null);
  const isAsked = useRef(false);
  const lines = code === null ? undefined : keptColours(code);
  const isKnown = lines !== undefined || (last !== null && code !== null && isSame(last.code, code));
  useEffect(() => {
    // Only one request runs at a time. When it is done, the next request contains the code as it is at that time.
    if (code === null || isKnown || isAsked.current || isBroken) return;
    isAsked.current = true;
    retryWhileAway(() => colour(code))
      .then((found) => setLast({ code, lines: found }))
      .catch((error: unknown) => {
        if (!isBroken) tellError(error);
        isBroken = true;
      })
      .finally(() => {
        isAsked.current = false;
      });
  }, [isKnown, code?.of, code?.text, last]);
  return code !== null && lines !== undefined ? { code, lines } : last;
}

export function isSame(one: CodeToColour, other: CodeToColour): boolean {
  const language = (code: CodeToColour): string | null => (code.of === 'code' ? code.language : null);
  return one.of === other.of && one.text === other.text && language(one) === language(other);
}
