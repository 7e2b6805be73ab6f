import { z } from 'zod';
import type { Route } from './route.ts';
import { NewSchedule, NextTimes, Schedule, ScheduleChange, ScheduleRun, ScheduleTimesQuery } from './schedules.ts';

const NameParam = z.object({ name: z.string() });

/** The part of the REST interface for schedules. */
export const SCHEDULE_ROUTES = {
  listSchedules: {
    method: 'get',
    path: '/schedules',
    summary: 'Every schedule, with its next time and the result of its last run',
    success: 200,
    response: z.array(Schedule),
    errors: [],
  },
  addSchedule: {
    method: 'post',
    path: '/schedules',
    summary: 'Send a prompt at set times, to a session as soon as it is ready, or to a new one each time',
    body: NewSchedule,
    success: 201,
    response: Schedule,
    errors: ['no_such_session', 'no_such_path', 'schedule_taken', 'invalid_schedule', 'command_prefix'],
  },
  scheduleTimes: {
    method: 'get',
    path: '/schedules/times',
    summary: 'The next times of a pattern, before a schedule is saved',
    query: ScheduleTimesQuery,
    success: 200,
    response: NextTimes,
    errors: ['invalid_schedule'],
  },
  changeSchedule: {
    method: 'patch',
    path: '/schedules/{name}',
    summary: 'Change a schedule; the old version still decides times that have already come',
    params: NameParam,
    body: ScheduleChange,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule', 'no_such_session', 'no_such_path', 'invalid_schedule', 'command_prefix'],
  },
  removeSchedule: {
    method: 'delete',
    path: '/schedules/{name}',
    summary: 'Delete a schedule; a prompt that is already queued stays queued',
    params: NameParam,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule'],
  },
  pauseSchedule: {
    method: 'post',
    path: '/schedules/{name}/pause',
    summary: 'Pause a schedule until it is resumed; its times until then are recorded as skipped',
    params: NameParam,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule'],
  },
  resumeSchedule: {
    method: 'post',
    path: '/schedules/{name}/resume',
    summary: 'Resume a schedule, beginning with its next time',
    params: NameParam,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule'],
  },
  runSchedule: {
    method: 'post',
    path: '/schedules/{name}/run',
    summary: 'Run a schedule now, even while it is paused; its next times do not change',
    params: NameParam,
    success: 200,
    response: ScheduleRun,
    errors: ['no_such_schedule'],
  },
  scheduleRuns: {
    method: 'get',
    path: '/schedules/{name}/runs',
    summary: 'The results of its runs, oldest first',
    params: NameParam,
    success: 200,
    response: z.array(ScheduleRun),
    errors: ['no_such_schedule'],
  },
} as const satisfies Record<string, Route>;
