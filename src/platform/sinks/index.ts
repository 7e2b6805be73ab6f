/**
 * The channels that report to a user who is not looking at a face. Each protocol has a file of its own, which
 * implements `SinkDriver`.
 */
export { findDesktopBus, openDesktop } from './desktop.ts';
export { openEmail } from './email.ts';
export { openNtfy } from './ntfy.ts';
export type * from './sink-driver.ts';
export { openSlack } from './slack.ts';
export { openTelegram } from './telegram.ts';
export { openWebhook } from './webhook.ts';
