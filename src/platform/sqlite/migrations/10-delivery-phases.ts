export const deliveryPhases = `
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
`;
