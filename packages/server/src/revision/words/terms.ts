import { stemmer } from 'stemmer';

const LETTERS_ALONE = /^[a-z]{3,}$/;

/**
 * Returns what a word is indexed and looked up by: its stem, so that "grippers" matches "gripper" (Porter, "An
 * algorithm for suffix stripping", Program 14, 1980). Names with digits and words in other scripts are left unchanged.
 */
export function termOf(word: string): string {
  return LETTERS_ALONE.test(word) ? stemmer(word) : word;
}
