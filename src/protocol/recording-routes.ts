import { z } from 'zod';
import { Recordings } from './recordings.ts';
import {
  KeptRecording,
  ReplayFrame,
  ReplayFrameQuery,
  ReplayInfo,
  ReplayOutput,
  ReplayOutputQuery,
  ReplayQuery,
} from './replay.ts';
import { BufferQuery } from './requests.ts';
import { NonNegative, type RouteRow } from './route.ts';
import { Buffer } from './session.ts';
import { TerminalPart, TerminalQuery } from './terminal.ts';

/** The routes for a session's screen and its recording, including the screen at any point in the recording. */
export const RECORDING_ROUTES = {
  recordings: {
    method: 'get',
    path: '/recordings',
    who: 'session',
    summary: 'How much disk space the recordings use, which recordings have stopped, and which were dropped',
    response: Recordings,
  },
  buffer: {
    method: 'get',
    path: '/sessions/{slug}/buffer',
    who: 'session',
    right: 'see',
    summary: 'The screen and scrollback',
    query: BufferQuery,
    response: Buffer,
    errors: ['no_such_session', 'no_recording'],
  },
  stream: {
    method: 'get',
    path: '/sessions/{slug}/stream',
    who: 'session',
    summary: "The recording's bytes, starting at an offset",
    query: z.strictObject({ from: NonNegative.optional() }),
    response: null,
    errors: ['no_such_session', 'no_recording', 'range_not_satisfiable'],
  },
  terminal: {
    method: 'get',
    path: '/sessions/{slug}/terminal',
    who: 'session',
    right: 'see',
    summary: "The next piece of a session's terminal, for clients that follow it without a WebSocket",
    query: TerminalQuery,
    response: TerminalPart,
    errors: ['no_such_session', 'no_recording'],
  },
  olderRecordings: {
    method: 'get',
    path: '/sessions/{slug}/recordings',
    who: 'session',
    summary: "The session's older recordings, which were moved aside by restarts, newest first",
    response: z.array(KeptRecording),
    errors: ['no_such_session'],
  },
  replay: {
    method: 'get',
    path: '/sessions/{slug}/replay',
    who: 'session',
    right: 'see',
    summary: 'What a player needs to know about the recording',
    query: ReplayQuery,
    response: ReplayInfo,
    errors: ['no_such_session', 'no_recording'],
  },
  replayFrame: {
    method: 'get',
    path: '/sessions/{slug}/replay/frame',
    who: 'session',
    right: 'see',
    summary: 'The screen at a given time or offset of the recording',
    query: ReplayFrameQuery,
    response: ReplayFrame,
    errors: ['no_such_session', 'no_recording'],
  },
  replayOutput: {
    method: 'get',
    path: '/sessions/{slug}/replay/output',
    who: 'session',
    right: 'see',
    summary: 'The output and size changes after a given time of the recording',
    query: ReplayOutputQuery,
    response: ReplayOutput,
    errors: ['no_such_session', 'no_recording'],
  },
} as const satisfies Record<string, RouteRow>;
