/** Saves a file through the browser's downloads. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the download has started and no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
