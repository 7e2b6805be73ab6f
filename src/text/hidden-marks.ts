/**
 * Matches characters that users cannot see: control characters, which a terminal executes and a page omits, marks that
 * reorder text, and characters that have no width or look like spaces. They can make a command look different from the
 * one that is run ("Trojan Source"). Joiners and the emoji variation selector are matched only next to plain letters,
 * because some scripts and emoji need them.
 */
const hidden = (): RegExp =>
  // The pattern is inside a function, because V8 takes a third of a millisecond to read it, and most runs need none.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800]|(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|(?<=[\u0000-\u007f])(?:\u200c|\u200d|\ufe0f)|(?:\u200c|\u200d)(?=[\u0000-\u007f])/gu;

/**
 * Returns a command, a path, or code with invisible characters shown as escapes such as `\u202e`. Line feeds and tabs
 * are kept.
 */
export function showHiddenMarks(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hidden(), (mark) => {
    const code = mark.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
