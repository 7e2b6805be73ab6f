/**
 * The path, below the home, of the file that makes a machine part of a fleet. Every server looks for this file when it
 * starts.
 */
export const MEMBERSHIP_FILE = 'fleet/machine.json';
