/** Saves a file through the browser's downloads. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  saveFrom(url, name);
  // By then the download has started and no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves what is at a URL through the browser's downloads. */
export function saveFrom(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
