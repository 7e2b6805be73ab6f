import { z } from 'zod';
import { GROUPINGS } from './grouping.ts';
import { Tag } from './labels.ts';
import type { RouteRow } from './route.ts';

/** The maximum number of saved views. Users choose a view from a list, which must not become too long. */
export const MOST_VIEWS = 50;
const MOST_FILTER = 200;

/** How the list of sessions is arranged. */
export const ViewArrangement = z.strictObject({
  group: z.enum(GROUPINGS).meta({ description: 'How the list is grouped' }),
  filter: z.string().max(MOST_FILTER).meta({
    description:
      'Words that must all match a session: `#night` matches a tag, `@shop` a repository, and any other word a part of the row',
  }),
});
export type ViewArrangement = z.infer<typeof ViewArrangement>;

export const SavedView = ViewArrangement.extend({ name: Tag }).meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof SavedView>;

/** The part of the REST interface for saved views of the list. */
export const VIEW_ROUTES = {
  listViews: {
    method: 'get',
    path: '/views',
    who: 'session',
    summary: 'The saved views, which every face offers, by name',
    response: z.array(SavedView),
  },
  saveView: {
    method: 'put',
    path: '/views/{name}',
    who: 'person',
    summary: 'Save a view of the list under a name; an existing view with that name is replaced',
    body: ViewArrangement,
    response: SavedView,
  },
  removeView: {
    method: 'delete',
    path: '/views/{name}',
    who: 'person',
    summary: 'Delete a saved view; the sessions stay as they are',
    response: SavedView,
    errors: ['no_such_view'],
  },
} as const satisfies Record<string, RouteRow>;
