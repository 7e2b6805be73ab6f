/** A point in time, in Unix milliseconds. `core` never reads a clock; its callers pass in every time. */
export type Millis = number;
