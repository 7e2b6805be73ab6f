export const onePhase = `
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
`;
