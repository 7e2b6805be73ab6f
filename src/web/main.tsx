import './server/without-eval.ts';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startTheme } from './app/theme.ts';
import { startAttention } from './notify/attention.ts';
import { startNotifications } from './notify/notifications.ts';
import { startFleet } from './server/fleet.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
startTheme();
startFleet();
startAttention();
startNotifications();
render(<App />, root);
