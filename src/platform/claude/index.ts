export * from './conversation.ts';
export * from './environment.ts';
export * from './hook-settings.ts';
export * from './hook-spool.ts';
export * from './launch.ts';
export * from './registry.ts';
export * from './tool-gate.ts';
export * from './version.ts';
