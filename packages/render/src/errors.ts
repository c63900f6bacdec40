/** The asset cannot be drawn; the message is the warning shown to its author. */
export class Unrenderable extends Error {
  override name = 'Unrenderable';
}

/** The only obstacle is that the asset exceeds the configured limits. */
export class TooLarge extends Unrenderable {
  override name = 'TooLarge';
}
