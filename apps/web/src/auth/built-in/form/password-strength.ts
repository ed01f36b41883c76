import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/**
 * Number of characters that are estimated. A longer password is at least as strong, and would take
 * long to estimate.
 */
const estimated = 100;

/** Estimates from 0 to 4 how hard a password is to guess. */
export function strength(password: string, personal: readonly string[]): 0 | 1 | 2 | 3 | 4 {
  const known = personal.filter((text) => text !== '');
  return zxcvbn.check(password.slice(0, estimated), known).score;
}
