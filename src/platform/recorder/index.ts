export * from './script-command.ts';
