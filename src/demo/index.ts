export { type DemoFleet, type DemoOptions, NO_CLAUDE, runDemo } from './run.ts';
