import { useRef } from 'react';
import { messages } from '../messages.ts';
import form from '../parts/form.module.css';
import { SUBJECTS } from './search-by-file.ts';

/** Opens a dialog for the picture or the model to search by, with the files that belong to it. */
export function FileSearchButton({ onPicked }: { onPicked: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className={form.quiet} onClick={() => input.current?.click()}>
        {messages.similar.byFile}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={SUBJECTS}
        aria-label={messages.similar.byFile}
        onChange={({ target }) => {
          if (target.files !== null && target.files.length > 0) onPicked([...target.files]);
          target.value = '';
        }}
      />
    </>
  );
}
