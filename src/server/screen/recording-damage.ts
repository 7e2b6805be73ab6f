/** What somebody did to a recording's files. */
export type RecordingDamage =
  /**
   * the file was deleted or moved, so its path now refers to another file or to none; the open file is still being read
   */
  | { kind: 'misnamed' }
  /**
   * the file was truncated, and everything before this position is lost; what is recorded from there on does not draw a
   * whole screen
   */
  | { kind: 'cut'; at: number }
  /** Screen has begun a new file at the same path, which does not draw a whole screen either */
  | { kind: 'begun' };
