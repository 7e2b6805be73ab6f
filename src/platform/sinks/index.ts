/** Channels that report to a person outside of the faces. Each protocol has one file and implements `SinkDriver`. */
export { openNtfy } from './ntfy.ts';
export type * from './sink-driver.ts';
export { openTelegram } from './telegram.ts';
export { openWebhook } from './webhook.ts';
