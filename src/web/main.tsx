import './connection/without-eval.ts';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { place } from './app/router.ts';
import { startTheme } from './app/theme.ts';
import { startFleet } from './connection/fleet.ts';
import { startWorker } from './connection/own-worker.ts';
import { startAttention } from './notify/attention.ts';
import { startNotifications } from './notify/notifications.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
startTheme();
startWorker();
startFleet(place.peek().page === 'sign-in');
startAttention();
startNotifications();
render(<App />, root);
