import { stemmer } from 'stemmer';

const LETTERS_ALONE = /^[a-z]{3,}$/;

/**
 * What a word is indexed and looked up by: its stem, so that "grippers" meets "gripper" (Porter, "An algorithm for suffix
 * stripping", Program 14, 1980). Names with digits and words of other scripts stay as they are.
 */
export function termOf(word: string): string {
  return LETTERS_ALONE.test(word) ? stemmer(word) : word;
}
