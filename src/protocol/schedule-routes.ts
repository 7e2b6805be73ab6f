import { z } from 'zod';
import type { Route } from './route.ts';
import { NewSchedule, Schedule, ScheduleRun } from './schedules.ts';

const NameParam = z.object({ name: z.string() });

/** The part of the REST interface that is about prompts at set times. */
export const SCHEDULE_ROUTES = {
  listSchedules: {
    method: 'get',
    path: '/schedules',
    summary: 'Every schedule, with when it is due next and what became of its last run',
    success: 200,
    response: z.array(Schedule),
    errors: [],
  },
  addSchedule: {
    method: 'post',
    path: '/schedules',
    summary: 'Send a prompt to a session at set times, as soon as it is ready then',
    body: NewSchedule,
    success: 201,
    response: Schedule,
    errors: ['no_such_session', 'schedule_taken', 'invalid_schedule', 'command_prefix'],
  },
  removeSchedule: {
    method: 'delete',
    path: '/schedules/{name}',
    summary: 'Delete a schedule; a prompt that is queued already stays queued',
    params: NameParam,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule'],
  },
  pauseSchedule: {
    method: 'post',
    path: '/schedules/{name}/pause',
    summary: 'Let no run begin until it is resumed; those that are due meanwhile are recorded as skipped',
    params: NameParam,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule'],
  },
  resumeSchedule: {
    method: 'post',
    path: '/schedules/{name}/resume',
    summary: 'Let runs begin again, from the next time on',
    params: NameParam,
    success: 200,
    response: Schedule,
    errors: ['no_such_schedule'],
  },
  runSchedule: {
    method: 'post',
    path: '/schedules/{name}/run',
    summary: 'Run it now, also while it is paused; its times stay as they are',
    params: NameParam,
    success: 200,
    response: ScheduleRun,
    errors: ['no_such_schedule'],
  },
  scheduleRuns: {
    method: 'get',
    path: '/schedules/{name}/runs',
    summary: 'What became of its runs, oldest first',
    params: NameParam,
    success: 200,
    response: z.array(ScheduleRun),
    errors: ['no_such_schedule'],
  },
} as const satisfies Record<string, Route>;
