/**
 * The page.
 *
 * - the connection to the server, and whether the page is up to date: `connection/fleet.ts`,
 *   `connection/browser-transport.ts`
 * - how the page and the server authenticate each other: `connection/pass.ts`
 * - parts of the page that are loaded on first use: `connection/late-part.ts`
 * - service workers: `connection/own-worker.ts`
 * - the list: `list/list.tsx`; how the list is arranged: `list/arranged.ts`, `list/groups.ts`
 * - a session: `session/page.tsx`
 * - protection against clicks that were meant for something else: `session/settled.ts`
 * - turning a JSON session's events into a conversation: `conversation/fold-events.ts`
 * - safe rendering of Markdown: `conversation/markdown.tsx`
 * - the colours of code: `syntax/colours.ts`
 * - actions on one session or several: `actions/deeds.ts`, `session/session-commands.ts`, their dialogs: `dialogs/`
 * - files that the page saves: `dialogs/export-files.ts`
 * - completion and history of a reply: `session/completion.tsx`, `session/prompt-history.ts`
 * - the terminal: `terminal/live-terminal.ts`
 * - a replay: `replay/player.ts`
 * - the location, the open overlay and keys: `navigation/`; the keys of the whole page and the palette: `app/`
 * - notifications: `notify/notifications.ts`
 * - time, theme and density: `display/`; colours, sizes and shared elements: `styles/tokens.css`, `parts/`
 */

import './connection/without-eval.ts';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startFleet } from './connection/fleet.ts';
import { startWorker } from './connection/own-worker.ts';
import { startRequestLooks } from './connection/request-looks.ts';
import { startDensity } from './display/density.ts';
import { startTheme } from './display/theme.ts';
import { startList } from './list/arranged.ts';
import { place } from './navigation/router.ts';
import { startAttention } from './notify/attention.ts';
import { startNotifications } from './notify/notifications.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
startTheme();
startDensity();
startList();
startWorker();
startFleet(place.peek().page === 'sign-in');
startAttention();
startRequestLooks();
startNotifications();
render(<App />, root);
