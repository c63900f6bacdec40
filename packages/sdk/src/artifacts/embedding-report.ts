/** Distinct pictures and texts. Of a plan, `encoded` is what would be tried. */
export interface EmbeddingReport {
  model: string;
  images: { encoded: number; reused: number };
  texts: { encoded: number; reused: number };
  /** Assets whose picture cannot be encoded, and why. */
  warnings: { asset: string; warning: string }[];
}
