/** A point in time as Unix milliseconds. `core` never reads a clock; callers pass every time in. */
export type Millis = number;
