/** One line of the doctor's report: what was checked, what was found, and what to do about it. */
export interface Check {
  /** what was checked, in a few words, for example "GNU Screen" */
  name: string;
  outcome: 'ok' | 'warning' | 'fault';
  /** what was found, in one line, for example "4.09.00" */
  detail: string;
  /** what to type or change, in one line, or null if nothing is wrong */
  cure: string | null;
}

/** The result of a check, without the name of the check. */
export type Finding = Omit<Check, 'name'>;

export function ok(detail: string): Finding {
  return { outcome: 'ok', detail, cure: null };
}

/** Returns a warning: CBOS works, but not as well as it could, or something was left behind. */
export function warning(detail: string, cure: string): Finding {
  return { outcome: 'warning', detail, cure };
}

/** Returns a fault: something that CBOS promises does not work. */
export function fault(detail: string, cure: string): Finding {
  return { outcome: 'fault', detail, cure };
}
