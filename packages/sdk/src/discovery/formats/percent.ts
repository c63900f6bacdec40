/** A reference of a format that writes them as addresses; as it stands where that is no right encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
