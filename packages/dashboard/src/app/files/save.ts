/** Hands a file to the browser's downloads. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then; what it needs of the URL it has.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
