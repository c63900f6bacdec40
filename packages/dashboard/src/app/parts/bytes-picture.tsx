/** A picture whose bytes are here. Browsers find the type of those that have none. */
export function BytesPicture({
  bytes,
  type = '',
  label,
  className,
}: {
  bytes: ArrayBuffer;
  type?: string;
  label: string;
  className?: string | undefined;
}) {
  const show = (image: HTMLImageElement) => {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    image.src = url;
    return () => URL.revokeObjectURL(url);
  };
  return <img ref={show} alt={label} className={className} />;
}
