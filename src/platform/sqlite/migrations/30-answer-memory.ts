export const answerMemory = `
-- Answers to all tools, so that an earlier answer is found when the same is asked again.
-- asked: a hash of the tool and its input, '' until the store computes it. answer: what was said, as JSON.
ALTER TABLE answers ADD COLUMN tool TEXT NOT NULL DEFAULT 'Bash';
ALTER TABLE answers ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE answers ADD COLUMN asked TEXT NOT NULL DEFAULT '';
ALTER TABLE answers ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE answers ADD COLUMN answer TEXT NOT NULL DEFAULT '';
UPDATE answers SET
  project = folder,
  about = coalesce(substr(json_extract(input, '$.command'), 1, 2000), ''),
  answer = json_object('said', said, 'remark', NULL, 'chosen', json_array());
CREATE INDEX answers_asked ON answers (asked, project);
`;
