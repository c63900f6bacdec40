/**
 * The text model that comes with this package: Universal Sentence Encoder lite for English, from the packages
 * `@energetic-ai/*` (Cer et al., "Universal Sentence Encoder", 2018). It does not encode pictures.
 */
export const INCLUDED_MODEL = 'energetic_ai/universal-sentence-encoder-lite/en';

/** Raised with the model's packages, and whenever texts are prepared for it differently. */
export const INCLUDED_VERSION = 'universal-sentence-encoder-lite/en/0.2.0/1';
