/** A point in time as Unix milliseconds. `core` never reads a clock: every time comes in. */
export type Millis = number;
