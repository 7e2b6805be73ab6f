import { type ClaudeEvent, EXIT, type StreamFrame } from '../../protocol/index.ts';
import {
  answerText,
  hasSucceeded,
  outcomeOf,
  printedText,
  retryLine,
  stopFeedback,
  textDelta,
  toolLines,
} from '../../text/event-text.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import type { Ending } from '../follow-stream.ts';
import type { Printer } from './printer.ts';
import { questionLines } from './question-text.ts';

/** Prints a turn of a JSON session for `cbos invoke`. */
export interface TurnPrinter {
  /** processes the next frame in the session's stream */
  take(frame: StreamFrame): void;
  /** prints what is held back, because no more frames follow */
  end(): void;
}

export interface InvokedTurn {
  slug: string;
  /** tells the printer which turn to print; earlier events do not belong to it */
  invocation: string;
  isJson: boolean;
}

/**
 * Prints a turn while it runs: either the answer as Claude writes it, with one line per tool, or the turn's events as
 * JSON lines. The command ends when the turn ends, with exit code 0, or with exit code 1 and the reason for the
 * failure. The exit code is 4 if the turn asks a question.
 *
 * If one of the user's own Stop hooks rejects an answer, Claude writes another one. A terminal shows them all, each
 * rejected one with the hook's words. A pipe gets only the answer with which Claude Code stopped: the text of a message
 * is therefore held back until a tool call or the end of the turn follows.
 */
export function createTurnPrinter(out: Printer, turn: InvokedTurn, ending: Ending): TurnPrinter {
  const { slug, invocation, isJson } = turn;
  let hasBegun = false;
  let hasAnswered = false;
  let isLineOpen = false;
  let isOver = false;
  /** the text that a pipe gets later, or not at all */
  let held = '';
  /** why a Stop hook has rejected the newest answer; Claude Code may overrule the hook and stop with that answer */
  let rejection: string | null = null;

  function closeLine(): void {
    if (isLineOpen) write('\n');
    isLineOpen = false;
  }

  function write(text: string): void {
    if (out.width === null) held += text;
    else void out.raw(text);
  }

  function release(): void {
    if (held !== '') void out.raw(held);
    held = '';
  }

  /** Call this when more output follows an answer that a Stop hook has rejected. */
  function leaveRejected(): void {
    if (rejection === null) return;
    held = '';
    if (out.width !== null) out.line(out.style('dim', `● Stop hook: ${rejection}`));
    rejection = null;
  }

  function print(event: ClaudeEvent): void {
    const delta = textDelta(event);
    const lines = toolLines(event);
    if (delta !== '' || lines.length > 0) leaveRejected();
    if (delta !== '') {
      write(delta);
      isLineOpen = !delta.endsWith('\n');
    }
    if (lines.length > 0 || isBlockEnd(event)) closeLine();
    const printed = printedText(event);
    if (lines.length > 0 || printed !== '') release();
    for (const line of lines) out.line(out.style('dim', line));
    if (printed !== '') out.line(printed);
    rejection = stopFeedback(event) ?? rejection;
    const retry = retryLine(event);
    if (retry !== null) out.notice(retry);
    hasAnswered ||= delta !== '' || printed !== '';
  }

  function takeEvent(frame: Extract<StreamFrame, { type: 'claude_event' }>): void {
    const { event } = frame;
    // The process may fail before it has accepted the prompt.
    hasBegun ||= isOf(event, invocation) || event.type === 'error';
    // Other frames may arrive together with the one that ends the turn.
    if (!hasBegun || isOver) return;
    isOver = event.type === 'result' || event.type === 'error';
    if (isJson) out.jsonLine(frame);
    else print(event);
    if (isOver) end();
    if (event.type === 'error') ending.fail(failure(cleanLine(String(event.message))));
    if (event.type === 'result') finish(event);
  }

  function end(): void {
    closeLine();
    release();
  }

  function finish(result: ClaudeEvent): void {
    // The answer to a slash command sometimes arrives as a whole instead of in pieces.
    const answer = hasAnswered || isJson ? '' : answerText(result);
    if (answer !== '') out.line(answer);
    if (hasSucceeded(result)) ending.finish(EXIT.done);
    else ending.fail(failure(outcomeOf(result)));
  }

  function takeState({ status }: Extract<StreamFrame, { type: 'session_state' }>): void {
    const { question } = status;
    if (!hasBegun || isOver || question === null || question.kind === 'closing') return;
    isOver = true;
    end();
    if (!isJson) out.lines(questionLines(slug, question));
    ending.finish(EXIT.refused);
  }

  const failure = (message: string): CommandError => new CommandError(message, `cbos events ${slug}`);

  return {
    end,
    take(frame) {
      if (frame.type === 'claude_event' && frame.session === slug) takeEvent(frame);
      if (frame.type === 'session_state' && frame.session === slug) takeState(frame);
    },
  };
}

/**
 * Reports whether an event begins the turn. Claude Code first reports that it has queued the prompt, while another turn
 * may still run. Then it reports that it begins the prompt, and repeats the prompt.
 */
function isOf(event: ClaudeEvent, invocation: string): boolean {
  if (event.type === 'command_lifecycle') return event.command_uuid === invocation && event.state !== 'queued';
  return event.uuid === invocation;
}

function isBlockEnd(event: ClaudeEvent): boolean {
  return (event.event as { type?: unknown } | undefined)?.type === 'content_block_stop';
}
