import { fileURLToPath } from 'node:url';

/** The directory of the checkout, without a slash at the end. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
