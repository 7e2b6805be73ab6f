/**
 * What nobody would see: controls, which a terminal obeys and a page leaves out; marks that reorder a text; characters
 * of no width, or of a blank's look. With them a command reads as another than the one that runs ("Trojan Source").
 * Joiners and the emoji style count beside plain letters alone, for scripts and emoji are made with them.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800]|(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|(?<=[\u0000-\u007f])(?:\u200c|\u200d|\ufe0f)|(?:\u200c|\u200d)(?=[\u0000-\u007f])/gu;

/** A command, a path or code as it is: what nobody would see is written out, `\u202e`. Lines and tabs stay. */
export function showHiddenMarks(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (mark) => {
    const code = mark.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
