import type { Form } from './form.ts';

/**
 * Reports whether a form can be accepted here. This is no part of `form.ts`, because commands that are run often use
 * it, and must not load the schemas.
 */
export const isOpenHere = ({ at_terminal: isAtTerminal, call_over: isCallOver }: Form): boolean =>
  isAtTerminal !== true && isCallOver !== true;
