import { piecesOf, type Tokens } from '../../text/syntax/tokens.ts';

/** Shows a line of code in its colours. Without tokens, the line is plain. */
export function ColouredLine({ text, tokens }: { text: string; tokens: Tokens | null }) {
  return (
    <>
      {piecesOf(text, tokens).map(({ text: part, kind }, at) =>
        kind === null ? (
          part
        ) : (
          <span key={at} class={`code-${kind}`}>
            {part}
          </span>
        ),
      )}
    </>
  );
}
