/** The asset cannot be drawn; the message is the warning that its author reads. */
export class Unrenderable extends Error {
  override name = 'Unrenderable';
}

/** It is only larger than the limits that were set. */
export class TooLarge extends Unrenderable {
  override name = 'TooLarge';
}
