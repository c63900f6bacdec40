import { useRef } from 'react';
import { Button } from './button.tsx';

/** Opens a dialog for files, or for a folder. */
export function FileButton({
  label,
  isMain = false,
  isFolder = false,
  accept,
  onAim,
  onPicked,
}: {
  label: string;
  isMain?: boolean;
  isFolder?: boolean;
  accept?: string | undefined;
  /** Called when somebody is about to press it. */
  onAim?: () => void;
  onPicked: (files: FileList) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        label={label}
        isMain={isMain}
        onPointerEnter={onAim}
        onFocus={onAim}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={accept}
        aria-label={label}
        onChange={({ target }) => {
          if (target.files !== null && target.files.length > 0) onPicked(target.files);
          target.value = '';
        }}
        {...(isFolder && { webkitdirectory: '' })}
      />
    </>
  );
}
