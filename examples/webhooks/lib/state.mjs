// Small files that remember how far a program got.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/// The object in `file`, or `initial` when there is no such file.
export function readState(file, initial) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return initial;
    throw error;
  }
}

/// Replaces the file whole: a kill leaves the old one or the new one.
export function writeState(file, state) {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}
