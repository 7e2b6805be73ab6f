import type { ITheme } from '@xterm/xterm';

/**
 * The sixteen colours of the terminal, chosen to match the page. The background is dark even if the page is light,
 * because Claude Code by default uses colours for a dark terminal.
 */
export const COLOURS: ITheme = {
  background: '#0f1013',
  foreground: '#e3e1dc',
  cursor: '#93a7ff',
  selectionBackground: '#93a7ff44',
  black: '#24262c',
  red: '#ff8a80',
  green: '#7dd3a4',
  yellow: '#f0c274',
  blue: '#93a7ff',
  magenta: '#d6a0ee',
  cyan: '#79cfd9',
  white: '#d5d3ce',
  brightBlack: '#8a8d97',
  brightRed: '#ffa39c',
  brightGreen: '#9be3bb',
  brightYellow: '#f7d594',
  brightBlue: '#b0bfff',
  brightMagenta: '#e4bdf5',
  brightCyan: '#9fe0e8',
  brightWhite: '#f4f2ee',
};
