export const reviews = `
-- Comments on changes; a round is null until it is sent.
CREATE TABLE review_comments (
  id         TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  round      INTEGER,
  file       TEXT NOT NULL,
  side       TEXT NOT NULL,
  line       INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  context    TEXT NOT NULL,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX review_comments_by_session ON review_comments (session_id, round);

-- A round is written before its prompt is sent, with the key of that delivery.
CREATE TABLE review_rounds (
  session_id  TEXT NOT NULL,
  number      INTEGER NOT NULL,
  key         TEXT NOT NULL,
  prompt      TEXT NOT NULL,
  sent_at     INTEGER NOT NULL,
  delivery_id TEXT,
  answer      TEXT,
  answered_at INTEGER,
  PRIMARY KEY (session_id, number)
) STRICT;

-- Files that a person has marked, with what they were then.
CREATE TABLE reviewed_files (
  session_id TEXT NOT NULL,
  file       TEXT NOT NULL,
  digest     TEXT NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (session_id, file)
) STRICT;

CREATE TRIGGER reviews_go_with_their_session AFTER DELETE ON sessions BEGIN
  DELETE FROM review_comments WHERE session_id = OLD.id;
  DELETE FROM review_rounds WHERE session_id = OLD.id;
  DELETE FROM reviewed_files WHERE session_id = OLD.id;
END;
`;
