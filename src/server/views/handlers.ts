import type { VIEW_ROUTES } from '../../protocol/views.ts';
import type { Handlers } from '../handlers.ts';
import type { SavedViews } from './saved-views.ts';

export function createViewHandlers(views: SavedViews): Pick<Handlers, keyof typeof VIEW_ROUTES> {
  return {
    listViews: () => [...views.list()],
    saveView: ({ params, body }) => views.save(params.name, body),
    removeView: ({ params }) => views.remove(params.name),
  };
}
