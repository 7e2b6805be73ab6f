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
  /** the text before its first row: `> ` */
  mark: string;
  editor: Editor;
  isActive: boolean;
}

/** The current meaning of the keys. One mode is open at a time, and closing it returns to browsing. */
export interface Mode {
  /** whether a click on a session or an option counts */
  takesClicks?: boolean;
  hints(): readonly Hint[];
  handle(event: InputEvent): void;
  /** called for every frame of the server while the mode is open */
  onFrame?(frame: StreamFrame): void;
  page?(cols: number, rows: number): Page;
  input?(): InputBox;
}
