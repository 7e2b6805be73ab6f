import type { StreamFrame } from '../../protocol/index.ts';
import type { Editor } from '../input/editor.ts';
import type { InputEvent } from '../terminal/keys.ts';

/** A key that works now, and its effect in one or two words, for the footer. */
export type Hint = readonly [key: string, does: string];

/** A page that is shown instead of the session's screen. */
export interface Page {
  title: string;
  /** styled, and no wider than requested */
  rows: string[];
  cursor?: { row: number; col: number } | null;
}

/** The contents of the input panel. */
export interface InputBox {
  title: string;
  /** the text in front of its first row: `> ` */
  mark: string;
  editor: Editor;
  isActive: boolean;
}

/** What the keys currently mean. Only one mode is open at a time, and closing it returns to browsing. */
export interface Mode {
  /** whether clicking a session or an option has an effect */
  takesClicks?: boolean;
  hints(): readonly Hint[];
  handle(event: InputEvent): void;
  /** called for every frame from the server while the mode is open */
  onFrame?(frame: StreamFrame): void;
  page?(cols: number, rows: number): Page;
  input?(): InputBox;
}
