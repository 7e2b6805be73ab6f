/** The schema, step by step. A released step is never changed; a new step is appended instead. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id                TEXT PRIMARY KEY,
    slug              TEXT NOT NULL UNIQUE,
    path              TEXT,
    adopted           INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    launch            TEXT NOT NULL,
    launch_id         TEXT,
    screen_id         TEXT,
    screen_window     TEXT NOT NULL,
    daemon_pid        INTEGER,
    daemon_start      TEXT,
    agent_pid         INTEGER,
    agent_start       TEXT,
    claude_session_id TEXT,
    claude_version    TEXT,
    typescript        TEXT,
    timing            TEXT,
    ended_at          INTEGER,
    last_activity     INTEGER,
    last_question     TEXT,
    hooks             TEXT
  ) STRICT;

  CREATE TABLE status_changes (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    change     TEXT NOT NULL
  ) STRICT;
  CREATE INDEX status_changes_by_session ON status_changes (session_id, at);

  CREATE TABLE deliveries (
    id              TEXT PRIMARY KEY,
    session_id      TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    text            TEXT NOT NULL,
    command         INTEGER NOT NULL,
    status          TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    removed         INTEGER NOT NULL,
    idempotency_key TEXT,
    UNIQUE (session_id, idempotency_key)
  ) STRICT;
  CREATE INDEX deliveries_by_session ON deliveries (session_id, created_at);
  `,
  `
  CREATE TABLE stash (
    id          TEXT PRIMARY KEY,
    session_id  TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    response    TEXT NOT NULL,
    question    TEXT,
    apply_when  TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    applied_at  INTEGER,
    delivery_id TEXT
  ) STRICT;
  CREATE INDEX stash_by_session ON stash (session_id, created_at);
  `,
  `
  ALTER TABLE sessions ADD COLUMN type TEXT NOT NULL DEFAULT 'screen';

  CREATE TABLE json_sessions (
    session_id    TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    last_seq      INTEGER NOT NULL,
    launch_id     TEXT,
    output_offset INTEGER NOT NULL,
    evidence      TEXT
  ) STRICT;

  CREATE TABLE json_events (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    type       TEXT NOT NULL,
    event      TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT;
  CREATE INDEX json_events_by_type ON json_events (session_id, type, seq);

  -- Kept when a session is deleted: what a day cost stays true.
  CREATE TABLE json_turns (
    session_id            TEXT NOT NULL,
    at                    INTEGER NOT NULL,
    day                   TEXT NOT NULL,
    cost_usd              REAL NOT NULL,
    input_tokens          INTEGER NOT NULL,
    output_tokens         INTEGER NOT NULL,
    cache_read_tokens     INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    duration_ms           REAL NOT NULL
  ) STRICT;
  CREATE INDEX json_turns_by_session ON json_turns (session_id, at);
  CREATE INDEX json_turns_by_day ON json_turns (day);
  `,
  `
  CREATE TABLE session_days (
    session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    day        TEXT NOT NULL,
    worked_ms  INTEGER NOT NULL,
    waited_ms  INTEGER NOT NULL,
    stuck_ms   INTEGER NOT NULL,
    idle_ms    INTEGER NOT NULL,
    error_ms   INTEGER NOT NULL,
    PRIMARY KEY (session_id, day)
  ) STRICT;
  CREATE INDEX session_days_by_day ON session_days (day);
  `,
  `
  ALTER TABLE deliveries ADD COLUMN note TEXT;
  `,
  `
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
  `,
  `
  ALTER TABLE sessions ADD COLUMN answer_key TEXT;
  `,
  `
  ALTER TABLE sessions ADD COLUMN cleared_at REAL;
  `,
  `
  -- Counts the changes of a session's deliveries: times tell no order where the clock is set back.
  ALTER TABLE deliveries ADD COLUMN changed_as INTEGER NOT NULL DEFAULT 0;
  UPDATE deliveries SET changed_as = ranked.place FROM (
    SELECT id, row_number() OVER (PARTITION BY session_id ORDER BY updated_at, created_at, rowid) AS place FROM deliveries
  ) AS ranked WHERE ranked.id = deliveries.id;
  CREATE INDEX deliveries_by_change ON deliveries (session_id, changed_as);
  CREATE INDEX deliveries_in_order ON deliveries (session_id);
  DROP INDEX IF EXISTS deliveries_by_session;
  CREATE INDEX status_changes_in_order ON status_changes (session_id);
  `,
  `
  -- A note was a sentence, and the reason of a failure stood in its place. Now it is a code, and what was told of an error stands for itself.
  ALTER TABLE deliveries ADD COLUMN phase TEXT NOT NULL DEFAULT 'waiting';
  ALTER TABLE deliveries ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE deliveries ADD COLUMN reason TEXT;
  UPDATE deliveries SET reason = note, note = CASE note
    WHEN 'Typed during a turn, into the queue of Claude Code' THEN 'inQueue'
    WHEN 'A dialog opened before it was sent; it is sent when the session is ready' THEN 'behindDialog'
    WHEN 'A view covered the prompt before it was sent; it is sent when that is closed' THEN 'behindView'
    WHEN 'A view opened as it was sent; where it stands in the prompt when that is closed, it is sent then' THEN 'underView'
    WHEN 'Somebody typed at the same moment; it stands in the prompt beside that, unsent' THEN 'besideDraft'
    WHEN 'What CBOS had typed before stood in the prompt; it is sent when that is taken out' THEN 'besideLeftover'
    WHEN 'It stood in the prompt unsent and was taken out again; it did not arrive' THEN 'cleared'
    WHEN 'The session has not read it yet; it is sent when it shows in the prompt' THEN 'unread'
    WHEN 'The prompt never showed it, and nothing says that Claude Code took it' THEN 'neverShown'
    WHEN 'Its turn is being interrupted' THEN 'interrupting'
    WHEN 'Its turn was interrupted' THEN 'interrupted'
    WHEN 'Typed during a turn, into the queue of Claude Code; an answer may end that turn' THEN 'answering'
    WHEN 'Somebody took it out of the queue of Claude Code into the prompt, where it is theirs' THEN 'takenBack'
    WHEN 'It came back out of the queue of Claude Code when the turn was ended; it is sent when the session is ready' THEN 'putBack'
    WHEN 'An interrupt took it out of the queue of Claude Code; it is sent when the session is ready' THEN 'putBack'
    ELSE NULL END WHERE note IS NOT NULL;
  UPDATE deliveries SET reason = NULL WHERE note IS NOT NULL;
  -- Whether Enter was pressed, nobody wrote down.
  UPDATE deliveries SET phase = 'entering' WHERE status IN ('sent', 'unknown', 'delivered');
  UPDATE deliveries SET phase = 'queueing' WHERE phase = 'entering' AND note IN ('inQueue', 'answering', 'takenBack');
  UPDATE deliveries SET held = 1 WHERE status = 'queued';
  -- What was taken out of the prompt after a crash is known not to have arrived.
  UPDATE deliveries SET status = 'failed' WHERE status = 'unknown' AND note = 'cleared';
  `,
  `
  ALTER TABLE sessions ADD COLUMN removed_at REAL;
  `,
  `
  ALTER TABLE sessions ADD COLUMN queue_stopped_at REAL;
  `,
  `
  ALTER TABLE sessions ADD COLUMN typed TEXT;
  `,
  `
  -- The session inside which a text was sent; null: by a person.
  ALTER TABLE deliveries ADD COLUMN sender TEXT;
  `,
  `
  -- Status, phase and note become one closed phase; the status follows from it and stays for the index.
  ALTER TABLE deliveries ADD COLUMN into_queue INTEGER NOT NULL DEFAULT 0;
  UPDATE deliveries SET into_queue = phase = 'queueing' AND status <> 'queued' AND note IS NOT 'takenBack';
  UPDATE deliveries SET reason = 'Somebody typed at the same moment; the text was in the prompt beside that, unsent'
    WHERE note = 'besideDraft' AND reason IS NULL;
  UPDATE deliveries SET phase = CASE status
    WHEN 'queued' THEN CASE note
      WHEN 'behindDialog' THEN 'behind_dialog'
      WHEN 'behindView' THEN 'behind_view'
      WHEN 'besideLeftover' THEN 'beside_leftover'
      WHEN 'putBack' THEN 'put_back'
      WHEN 'underView' THEN 'taken_out'
      WHEN 'unread' THEN 'taken_out'
      WHEN 'resumed' THEN 'resumed'
      ELSE 'held' END
    WHEN 'sent' THEN CASE
      WHEN note = 'underView' THEN 'under_view'
      WHEN note = 'unread' THEN 'unread'
      WHEN note = 'takenBack' THEN 'taken_back'
      WHEN note = 'looking' THEN 'looking'
      WHEN phase = 'typing' THEN 'typing'
      ELSE 'entering' END
    WHEN 'delivered' THEN CASE WHEN note IN ('answering', 'interrupting', 'interrupted') THEN note ELSE 'taken' END
    WHEN 'unknown' THEN CASE note WHEN 'neverShown' THEN 'never_shown' ELSE 'no_sign' END
    WHEN 'failed' THEN CASE note
      WHEN 'cleared' THEN 'cleared'
      WHEN 'unsent' THEN 'unsent'
      WHEN 'sessionEnded' THEN 'session_ended'
      ELSE 'failed' END
    ELSE CASE WHEN note IS NULL THEN 'cancelled' ELSE 'cancelled_typed' END END;
  ALTER TABLE deliveries DROP COLUMN note;
  `,
  `
  -- Who has looked at a session, and until when it is snoozed (a rule as JSON).
  CREATE TABLE attention (
    session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    news       INTEGER NOT NULL,
    seen       INTEGER NOT NULL,
    marked     INTEGER NOT NULL,
    turn_runs  INTEGER NOT NULL,
    asked      TEXT,
    snooze     TEXT
  ) STRICT;
  `,
  `
  ALTER TABLE sessions ADD COLUMN parked_at REAL;
  `,
  `
  -- Rules that were added by request; those in files stay in their files.
  CREATE TABLE rules (
    id         TEXT PRIMARY KEY,
    session_id TEXT,
    effect     TEXT NOT NULL,
    fields     TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER rules_go_with_their_session AFTER DELETE ON sessions
    BEGIN DELETE FROM rules WHERE session_id = OLD.id; END;

  -- What a person has trusted of a project's own rules, whole.
  CREATE TABLE trusted_rules (
    folder  TEXT PRIMARY KEY,
    sha256  TEXT NOT NULL,
    content TEXT NOT NULL,
    at      INTEGER NOT NULL
  ) STRICT;

  -- What rules have decided: a row before each reply, another one with what became of it. Nothing is changed or removed.
  CREATE TABLE audit (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    session    TEXT NOT NULL,
    asked      TEXT NOT NULL,
    decision   TEXT NOT NULL,
    rules      TEXT NOT NULL,
    tool       TEXT NOT NULL,
    input      TEXT NOT NULL,
    epoch      INTEGER,
    place      INTEGER,
    seq        INTEGER,
    UNIQUE (session_id, asked)
  ) STRICT;
  CREATE INDEX audit_by_time ON audit (at);
  CREATE TABLE audit_rules (
    audit_id INTEGER NOT NULL REFERENCES audit(id),
    rule_id  TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_rules_by_rule ON audit_rules (rule_id);
  CREATE TABLE audit_outcomes (
    audit_id INTEGER NOT NULL REFERENCES audit(id),
    at       INTEGER NOT NULL,
    outcome  TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_outcomes_by_decision ON audit_outcomes (audit_id);
  CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_rules_stay BEFORE UPDATE ON audit_rules BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_rules_are_kept BEFORE DELETE ON audit_rules BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_outcomes_stay BEFORE UPDATE ON audit_outcomes BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  CREATE TRIGGER audit_outcomes_are_kept BEFORE DELETE ON audit_outcomes BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
  `,
  `
  -- Kept when a session is deleted: what a day cost stays true.
  CREATE TABLE terminal_costs (
    session_id TEXT NOT NULL,
    day        TEXT NOT NULL,
    cost_usd   REAL NOT NULL,
    PRIMARY KEY (session_id, day)
  ) STRICT;
  CREATE INDEX terminal_costs_by_day ON terminal_costs (day);

  -- Up to where the total of a launch has been counted.
  CREATE TABLE terminal_cost_marks (
    session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    launch_id  TEXT NOT NULL,
    cost_usd   REAL NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE sessions ADD COLUMN boot TEXT;
  ALTER TABLE sessions ADD COLUMN stop_asked_at REAL;
  ALTER TABLE sessions ADD COLUMN loss TEXT;
  `,
];
