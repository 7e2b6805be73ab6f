import { type MachineCall, type MachineCallName, RIGHTS, type Right } from '../../protocol/index.ts';

const NEEDED: Readonly<Record<MachineCallName, Right>> = {
  listSessions: 'see',
  getSession: 'see',
  buffer: 'see',
  history: 'see',
  lastResponse: 'see',
  answer: 'answer',
  send: 'type',
  interrupt: 'type',
  restartSession: 'launch',
  killSession: 'end',
};

/** The calls that change nothing, so that a late or repeated one does no harm. */
const READING: ReadonlySet<MachineCallName> = new Set([
  'listSessions',
  'getSession',
  'buffer',
  'history',
  'lastResponse',
]);

export const changesSomething = ({ route }: Pick<MachineCall, 'route'>): boolean => !READING.has(route);

/**
 * The rights that a call needs. Words in an answer reach Claude as a prompt does, and an answer to a closing question
 * is one, so they need the right to type as well. A forced text goes into whatever is open, a dialog too, so it needs
 * the right to answer.
 */
export function rightsNeeded({ route, body }: MachineCall): readonly Right[] {
  const needed = NEEDED[route];
  if (route === 'answer' && (hasField(body, 'text') || hasField(body, 'answers'))) return ['answer', 'type'];
  if (route === 'send' && hasField(body, 'force')) return ['type', 'answer'];
  return [needed];
}

function hasField(body: unknown, name: string): boolean {
  return typeof body === 'object' && body !== null && Reflect.get(body, name) !== undefined;
}

/** What a machine may do on another: what the founder gave it, as far as the other machine allows it. */
export function grantedRights(given: readonly Right[], allowed: readonly Right[]): readonly Right[] {
  return RIGHTS.filter((right) => given.includes(right) && allowed.includes(right));
}

/** The rights that a call needs and the machine lacks; empty if it is granted. */
export function missingRights(call: MachineCall, granted: readonly Right[]): readonly Right[] {
  return rightsNeeded(call).filter((right) => !granted.includes(right));
}
