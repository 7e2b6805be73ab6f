import type { EventsPage, Invocation, Invoke, LastResponse } from '../../protocol/index.ts';

/** What only a JSON session offers: turns that run on request, and events. */
export interface Conversation {
  /** @throws CatalogueError already_running, session_dead, session_in_use, claude_not_found, launch_failed */
  invoke(request: Invoke): Promise<Invocation>;
  events(page: { after: number; limit: number }): EventsPage;
  /**
   * @param delivery the prompt whose answer is meant; if omitted, the last answer of any turn
   * @throws CatalogueError no_response
   */
  lastResponse(delivery?: string): LastResponse;
}
