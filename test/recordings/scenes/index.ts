import type { RecordedScene } from '../scene.ts';
import { CORE_SCENES } from './core.ts';
import { DIALOG_SCENES } from './dialogs.ts';
import { TOOL_SCENES } from './tools.ts';
import { TURN_SCENES } from './turns.ts';

/** Every scene that can be recorded, by name. */
export const RECORDED_SCENES: Readonly<Record<string, RecordedScene>> = {
  ...CORE_SCENES,
  ...TOOL_SCENES,
  ...DIALOG_SCENES,
  ...TURN_SCENES,
};
