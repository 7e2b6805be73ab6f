export * from './budgets.ts';
export * from './read-budgets.ts';
