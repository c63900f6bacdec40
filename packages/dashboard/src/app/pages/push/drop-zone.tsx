import { type DragEvent, useRef, useState } from 'react';
import { pushMessages as text } from '../../messages/push.ts';
import { Button } from '../../parts/button.tsx';
import form from '../../parts/form.module.css';
import { folderFromDrop, folderFromInput } from '../../push/picked-folder.ts';
import type { PickedFolder } from '../../push/protocol.ts';
import styles from './push.module.css';

/** Accepts a folder by drag and drop, or through a file dialog. */
export function DropZone({ onPicked }: { onPicked: (picked: PickedFolder) => void }) {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);

  function take(list: FileList | null) {
    if (list !== null && list.length > 0) onPicked(folderFromInput(list));
  }

  async function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const picked = await folderFromDrop(event.dataTransfer);
    if (picked.files.length > 0) onPicked(picked);
  }

  return (
    <section
      className={isOver ? `${styles.zone} ${styles.over}` : styles.zone}
      data-own-focus
      aria-label={text.drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <p className={styles.invitation}>{text.drop}</p>
      <div className={form.actions}>
        <Button isMain label={text.chooseFolder} onClick={() => folder.current?.click()} />
        <Button label={text.chooseFiles} onClick={() => files.current?.click()} />
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        aria-label={text.chooseFolder}
        onChange={({ target }) => take(target.files)}
        {...{ webkitdirectory: '' }}
      />
      <input
        ref={files}
        type="file"
        hidden
        multiple
        aria-label={text.chooseFiles}
        onChange={({ target }) => take(target.files)}
      />
      <p className={form.soft}>{text.dropDetail}</p>
    </section>
  );
}
