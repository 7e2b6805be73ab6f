import { truncate } from '../../text/display-width.ts';
import type { Style } from '../../text/style.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { type Conversation, type Piece, resultGist } from '../conversation.ts';
import { wrap } from './cells.ts';

export interface ConversationViewport {
  cols: number;
  rows: number;
  /** how many rows the view is scrolled back from the end */
  back: number;
  /** whether to show the complete output of tools */
  isUnfolded: boolean;
  dress: Style;
}

/**
 * Returns the end of the conversation, or the part that ends the given number of rows before the end. It only renders
 * the rows that are visible.
 */
export function conversationRows(
  conversation: Conversation,
  viewport: ConversationViewport,
): { rows: string[]; canGoBack: number } {
  const { rows: count, back } = viewport;
  const { partial } = conversation;
  const blocks: string[][] = partial === null ? [] : [pieceRows(partial, viewport)];
  let made = blocks[0]?.length ?? 0;
  for (let at = conversation.pieces.length - 1; at >= 0 && made < count + back; at--) {
    const piece = conversation.pieces[at];
    if (piece === undefined) break;
    const rows = pieceRows(piece, viewport);
    made += rows.length;
    blocks.unshift(rows);
  }
  const all = blocks.flat();
  const canGoBack = Math.max(0, all.length - count);
  const start = Math.max(0, canGoBack - back);
  return { rows: all.slice(start, start + count), canGoBack };
}

function pieceRows(piece: Piece, viewport: ConversationViewport): string[] {
  const { cols, dress } = viewport;
  if (piece.kind === 'tool') return toolRows(piece, viewport);
  const marks = { prompt: '❯', text: '●', thinking: '∴', error: '✗', note: '·' } as const;
  const styles = { prompt: 'bold', text: null, thinking: 'dim', error: 'red', note: 'dim' } as const;
  const style = styles[piece.kind];
  const rows = wrap(cleanBlock(piece.text), cols - 3);
  return [...rows.map((row, index) => ` ${dress(style, `${index === 0 ? marks[piece.kind] : ' '} ${row}`)}`), ''];
}

function toolRows({ name, gist, result, isError }: Piece & { kind: 'tool' }, viewport: ConversationViewport): string[] {
  const { cols, dress, isUnfolded } = viewport;
  const head = truncate(`${cleanLine(name)}: ${gist}`, cols - 4);
  const said =
    result === null ? ['…'] : isUnfolded ? wrap(cleanBlock(result).trimEnd(), cols - 6) : [resultGist(result)];
  return [
    ` ${dress('green', '⏵')} ${dress('bold', head)}`,
    ...said.map(
      (row, index) => `   ${dress(isError ? 'red' : 'dim', `${index === 0 ? '⎿' : ' '} ${truncate(row, cols - 6)}`)}`,
    ),
    '',
  ];
}
