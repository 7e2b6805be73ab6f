export const rulesAndAudit = `
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
`;
