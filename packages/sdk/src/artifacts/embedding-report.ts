/** Counts of distinct pictures and texts. In a plan, `encoded` is what would be attempted. */
export interface EmbeddingReport {
  model: string;
  images: { encoded: number; reused: number };
  texts: { encoded: number; reused: number };
  /** Assets whose picture cannot be encoded, and why. */
  warnings: { asset: string; warning: string }[];
}
