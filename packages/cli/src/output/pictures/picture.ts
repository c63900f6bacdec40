/** A decoded picture: RGBA, eight bits each, row by row from the top left, alpha not multiplied in. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** The box of cells in which a picture stands. Cells are about twice as high as wide, so it is about square. */
export const BOX = { columns: 16, rows: 8 } as const;
