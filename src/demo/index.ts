export { type DemoFleet, NO_CLAUDE, runDemo } from './run.ts';
