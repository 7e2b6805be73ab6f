/** One line of the doctor: what was looked at, what was found, and what to do about it. */
export interface Check {
  /** what was looked at, a few words: "GNU Screen" */
  name: string;
  outcome: 'ok' | 'warning' | 'fault';
  /** what was found, one line: "4.09.00" */
  detail: string;
  /** what to type or change, one line; null if nothing is wrong */
  cure: string | null;
}

/** A check's result without its name. */
export type Finding = Omit<Check, 'name'>;

export function ok(detail: string): Finding {
  return { outcome: 'ok', detail, cure: null };
}

/** CBOS works, but less well than it could, or something is left over. */
export function warning(detail: string, cure: string): Finding {
  return { outcome: 'warning', detail, cure };
}

/** Something that CBOS promises does not work. */
export function fault(detail: string, cure: string): Finding {
  return { outcome: 'fault', detail, cure };
}
