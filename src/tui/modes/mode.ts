import type { Editor } from '../input/editor.ts';
import type { InputEvent } from '../terminal/keys.ts';

/** A key that works now, and what it does: one word or two, for the footer. */
export type Hint = readonly [key: string, does: string];

/** What stands in place of the session's screen. */
export interface Page {
  title: string;
  /** dressed, none wider than it was asked for */
  rows: string[];
  cursor?: { row: number; col: number } | null;
}

/** What stands in the input panel. */
export interface InputBox {
  title: string;
  /** before its first row: `> ` */
  mark: string;
  editor: Editor;
  isActive: boolean;
}

/** What the keys mean at the moment. One is open at a time; closing it goes back to browsing. */
export interface Mode {
  /** a click on a session or an option counts */
  takesClicks?: boolean;
  hints(): readonly Hint[];
  handle(event: InputEvent): void;
  page?(cols: number, rows: number): Page;
  input?(): InputBox;
}
