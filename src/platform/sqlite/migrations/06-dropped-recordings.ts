export const droppedRecordings = `
CREATE TABLE dropped_recordings (
  recording TEXT NOT NULL,
  day       TEXT NOT NULL,
  reason    TEXT NOT NULL,
  bytes     INTEGER NOT NULL,
  whole     INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (recording, day, reason)
) STRICT;
CREATE INDEX dropped_recordings_by_time ON dropped_recordings (at);
`;
