export const decidedClocks = `
-- How the clock was set when a schedule's times were last decided, so that a clock that was set back is noticed. An
-- empty boot stands for an unknown setting.
ALTER TABLE schedules ADD COLUMN decided_boot TEXT NOT NULL DEFAULT '';
ALTER TABLE schedules ADD COLUMN decided_offset_ms INTEGER NOT NULL DEFAULT 0;
`;
