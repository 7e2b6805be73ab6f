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
import { NonNegative, type Route, SlugParam } from './route.ts';
import { Buffer } from './session.ts';
import { TerminalPart, TerminalQuery } from './terminal.ts';

/** The routes for a session's screen and its recording, including the screen at any point in the recording. */
export const RECORDING_ROUTES = {
  recordings: {
    method: 'get',
    path: '/recordings',
    summary: 'How much disk space the recordings use, which recordings have stopped, and which were dropped',
    success: 200,
    response: Recordings,
    errors: [],
  },
  buffer: {
    method: 'get',
    path: '/sessions/{slug}/buffer',
    summary: 'The screen and scrollback',
    params: SlugParam,
    query: BufferQuery,
    success: 200,
    response: Buffer,
    errors: ['no_such_session', 'no_recording'],
  },
  stream: {
    method: 'get',
    path: '/sessions/{slug}/stream',
    summary: "The recording's bytes, starting at an offset",
    params: SlugParam,
    query: z.strictObject({ from: NonNegative.optional() }),
    success: 200,
    response: null,
    errors: ['no_such_session', 'no_recording', 'range_not_satisfiable'],
  },
  terminal: {
    method: 'get',
    path: '/sessions/{slug}/terminal',
    summary: "The next piece of a session's terminal, for clients that follow it without a WebSocket",
    params: SlugParam,
    query: TerminalQuery,
    success: 200,
    response: TerminalPart,
    errors: ['no_such_session', 'no_recording'],
  },
  olderRecordings: {
    method: 'get',
    path: '/sessions/{slug}/recordings',
    summary: "The session's older recordings, which were moved aside by restarts, newest first",
    params: SlugParam,
    success: 200,
    response: z.array(KeptRecording),
    errors: ['no_such_session'],
  },
  replay: {
    method: 'get',
    path: '/sessions/{slug}/replay',
    summary: 'What a player needs to know about the recording',
    params: SlugParam,
    query: ReplayQuery,
    success: 200,
    response: ReplayInfo,
    errors: ['no_such_session', 'no_recording'],
  },
  replayFrame: {
    method: 'get',
    path: '/sessions/{slug}/replay/frame',
    summary: 'The screen at a given time or offset of the recording',
    params: SlugParam,
    query: ReplayFrameQuery,
    success: 200,
    response: ReplayFrame,
    errors: ['no_such_session', 'no_recording'],
  },
  replayOutput: {
    method: 'get',
    path: '/sessions/{slug}/replay/output',
    summary: 'The output and size changes after a given time of the recording',
    params: SlugParam,
    query: ReplayOutputQuery,
    success: 200,
    response: ReplayOutput,
    errors: ['no_such_session', 'no_recording'],
  },
} as const satisfies Record<string, Route>;
