import type { SCHEDULE_ROUTES } from '../../protocol/index.ts';
import type { Handlers } from '../handlers.ts';
import type { Scheduler } from './scheduler.ts';

export function createScheduleHandlers(schedules: Scheduler): Pick<Handlers, keyof typeof SCHEDULE_ROUTES> {
  return {
    listSchedules: () => schedules.list(),
    addSchedule: ({ body }) => schedules.add(body),
    scheduleTimes: ({ query }) => schedules.times(query.cron, query.timezone),
    changeSchedule: ({ params, body }) => schedules.change(params.name, body),
    removeSchedule: ({ params }) => schedules.remove(params.name),
    pauseSchedule: ({ params }) => schedules.pause(params.name, true),
    resumeSchedule: ({ params }) => schedules.pause(params.name, false),
    runSchedule: ({ params }) => schedules.run(params.name),
    scheduleRuns: ({ params }) => schedules.runs(params.name),
    createTrigger: ({ params }) => schedules.createTrigger(params.name),
    removeTrigger: ({ params }) => schedules.removeTrigger(params.name),
    trigger: ({ params, request, from }) =>
      schedules.trigger(params.id, {
        header: (name) => request.headers.get(name),
        body: async () => new Uint8Array(await request.arrayBuffer()),
        from,
      }),
  };
}
