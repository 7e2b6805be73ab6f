import { fileURLToPath } from 'node:url';

/** The checkout's directory, without a slash at the end. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
