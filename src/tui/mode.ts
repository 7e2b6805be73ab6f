import type { StreamFrame } from '../protocol/index.ts';
import type { Editor } from './input/editor.ts';
import type { InputEvent } from './terminal/keys.ts';

/** A key that currently has an effect, and a description of the effect in one or two words, for the footer. */
export type Hint = readonly [key: string, does: string];

/** A row of the help page. */
export type HelpRow = readonly [keys: string, does: string];

/** The sections of the help page, by their titles. */
export type Help = Readonly<Record<string, readonly HelpRow[]>>;

/** A page that replaces the session's screen. */
export interface Page {
  title: string;
  /** the page's lines, with styles and no wider than requested */
  rows: string[];
  cursor?: { row: number; col: number } | null;
}

/** The contents of the input panel. */
export interface InputBox {
  title: string;
  /** the text that precedes the first row, such as `> ` */
  mark: string;
  editor: Editor;
  isActive: boolean;
}

/** A mode determines what the keys do. Only one mode is open at a time, and closing it returns the user to browsing. */
export interface Mode {
  /** whether clicking a session or an option has an effect */
  takesClicks?: boolean;
  hints(): readonly Hint[];
  handle(event: InputEvent): void;
  /** called for each frame that arrives from the server while the mode is open */
  onFrame?(frame: StreamFrame): void;
  page?(cols: number, rows: number): Page;
  /** the input panel, or undefined if there is none at the moment */
  input?(): InputBox | undefined;
}
