/** A decoded picture: RGBA, eight bits each, row by row from the top left, alpha not premultiplied. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** The box of terminal cells for a picture. Cells are about twice as high as wide, so it is about square. */
export const BOX = { columns: 16, rows: 8 } as const;
