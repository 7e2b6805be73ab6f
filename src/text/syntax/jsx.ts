import type { StreamParser, StringStream } from '@codemirror/streamparser';

/** What the parser for JavaScript keeps in its state, as far as it is needed here. */
interface ScriptState {
  /** the function that reads the next token; another one is at work within strings and comments */
  tokenize: unknown;
  /** the type of the last token, which decides whether a slash begins a regular expression */
  lastType: string;
}

/** The nested parts of the code around the current position: script, a tag, or text between tags. */
type Frame = Script | { kind: 'tag' } | { kind: 'text' };

interface Script {
  kind: 'script';
  /** how many braces are open */
  braces: number;
}

interface JsxState {
  script: ScriptState;
  /** the function that reads tokens outside strings and comments */
  base: unknown;
  frames: Frame[];
}

const OPENING_TAG = /^<(?:[A-Za-z][\w.:-]*(?=[\s/>]|$)(?!\s+extends\b)|(?=>))/;
const CLOSING_TAG = /^<\/[\w.:-]*\s*>?/;
/** What may precede an element. After anything else, `<` compares two values or begins type arguments. */
const BEFORE_ELEMENT = /(?:^|[=(,?:&|>{}[!;]|\b(?:return|default|yield))\s*$/;
/** What the script's parser believes the last token was after an element: a value. */
const VALUE = 'variable';

/**
 * Returns a parser for a script with elements in it (JSX). The library's parser for JavaScript does not know elements:
 * it would take `</div>` for a regular expression, and words between tags for keywords.
 */
export function jsx(script: StreamParser<unknown>): StreamParser<unknown> {
  const parser: StreamParser<JsxState> = {
    startState(indentUnit) {
      const inner = script.startState?.(indentUnit) as ScriptState;
      return { script: inner, base: inner.tokenize, frames: [{ kind: 'script', braces: 0 }] };
    },
    token(stream, state) {
      const frame = state.frames.at(-1);
      if (frame?.kind === 'tag') return readTag(stream, state);
      if (frame?.kind === 'text') return readText(stream, state);
      return frame === undefined ? null : readScript(stream, state, frame);
    },
  };

  function readScript(stream: StringStream, state: JsxState, frame: Script): string | null {
    const isBase = state.script.tokenize === state.base;
    const next = stream.peek();
    if (isBase && next === '<' && BEFORE_ELEMENT.test(stream.string.slice(0, stream.pos))) {
      if (stream.match(OPENING_TAG) !== null) {
        state.frames.push({ kind: 'tag' });
        return 'tag';
      }
    }
    if (isBase && next === '}' && frame.braces === 0 && state.frames.length > 1) {
      stream.next();
      state.frames.pop();
      return null;
    }
    const style = script.token(stream, state.script);
    const token = stream.current();
    // A template begins an expression with `${`, and the parser ends the expression with a brace like any other.
    if ((isBase && token === '{') || token.endsWith('${')) frame.braces++;
    else if (isBase && token === '}') frame.braces = Math.max(0, frame.braces - 1);
    return style;
  }

  /** Reads the brace that begins an expression. The script's parser would take it for the start of an object. */
  function readBrace(stream: StringStream, state: JsxState): null {
    stream.next();
    state.frames.push({ kind: 'script', braces: 0 });
    return null;
  }

  function readTag(stream: StringStream, state: JsxState): string | null {
    if (stream.eatSpace()) return null;
    if (stream.peek() === '{') return readBrace(stream, state);
    if (stream.match('/>')) return endElement(state);
    if (stream.match('>')) {
      state.frames.pop();
      state.frames.push({ kind: 'text' });
      return 'tag';
    }
    if (stream.match(/^[A-Za-z_][\w:.-]*/)) return 'attribute';
    if (stream.match(/^(?:"[^"]*"?|'[^']*'?)/)) return 'string';
    stream.next();
    return null;
  }

  function readText(stream: StringStream, state: JsxState): string | null {
    if (stream.match(/^[^<{]+/)) return null;
    if (stream.peek() === '{') return readBrace(stream, state);
    if (stream.match(CLOSING_TAG)) return endElement(state);
    if (stream.match(OPENING_TAG)) {
      state.frames.push({ kind: 'tag' });
      return 'tag';
    }
    stream.next();
    return null;
  }

  function endElement(state: JsxState): string {
    state.frames.pop();
    state.script.lastType = VALUE;
    return 'tag';
  }

  return parser as StreamParser<unknown>;
}
