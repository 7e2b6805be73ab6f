import { type MachineCall, RIGHTS, type Right, ROUTES } from '../../protocol/index.ts';

/** Returns the right that the table of routes names for a call. */
const rightOf = ({ route }: Pick<MachineCall, 'route'>): Right => ROUTES[route].right;

/**
 * A call that only needs the right to see changes nothing, so it does no harm if such a call arrives late or twice.
 */
export const changesSomething = (call: Pick<MachineCall, 'route'>): boolean => rightOf(call) !== 'see';

/**
 * Returns the rights that a call requires. An answer may contain free text, which reaches Claude like a prompt, and the
 * answer to a closing question is a prompt. Both therefore also require the right to type. A forced message goes into
 * whatever is open, including a dialog, so it also requires the right to answer. A new session's prompt reaches Claude
 * too. Its arguments can contain a prompt, and its environment can make Claude run any program, so they require the
 * right to type. A permission mode that answers dialogs requires the right to answer.
 */
export function rightsNeeded(call: MachineCall): readonly Right[] {
  const { route, body } = call;
  const needed = rightOf(call);
  if (route === 'answer' && (hasField(body, 'text') || hasField(body, 'answers'))) return ['answer', 'type'];
  if (route === 'send' && hasField(body, 'force')) return ['type', 'answer'];
  if (route === 'createSession') {
    return [
      needed,
      ...(['prompt', 'args', 'env'].some((name) => hasField(body, name)) ? (['type'] as const) : []),
      ...(answersItself(body) ? (['answer'] as const) : []),
    ];
  }
  return [needed];
}

/** Reports whether a new session would have a permission mode in which dialogs do not reach a user. */
function answersItself(body: unknown): boolean {
  return (
    hasField(body, 'permission_mode') && !['default', 'plan'].includes(Reflect.get(body as object, 'permission_mode'))
  );
}

function hasField(body: unknown, name: string): boolean {
  return typeof body === 'object' && body !== null && Reflect.get(body, name) !== undefined;
}

/**
 * Returns the rights that a machine has on another machine: those that the founder has granted and that the other
 * machine allows.
 */
export function grantedRights(given: readonly Right[], allowed: readonly Right[]): readonly Right[] {
  return RIGHTS.filter((right) => given.includes(right) && allowed.includes(right));
}

/** Returns the rights that a call requires and the machine lacks. The result is empty if the call is allowed. */
export function missingRights(call: MachineCall, granted: readonly Right[]): readonly Right[] {
  return rightsNeeded(call).filter((right) => !granted.includes(right));
}
