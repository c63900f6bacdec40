import { type ComponentProps, useCallback } from 'react';

/** A picture whose bytes are here. Browsers find the type of those that have none. */
export function BytesPicture({
  bytes,
  type = '',
  label,
  ...image
}: {
  bytes: ArrayBuffer | Blob;
  type?: string;
  label: string;
} & ComponentProps<'img'>) {
  const show = useCallback(
    (image: HTMLImageElement) => {
      const url = URL.createObjectURL(new Blob([bytes], { type }));
      image.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [bytes, type],
  );
  return <img ref={show} alt={label} {...image} />;
}
