import { pushMessages as text } from '../../messages/push.ts';
import { FileButton } from '../../parts/file-button.tsx';
import { folderFromDrop, folderFromInput } from '../../push/picked-folder.ts';
import type { PickedFolder } from '../../push/protocol.ts';
import { useDrop } from '../../use-drop.ts';
import styles from './push.module.css';

/** Accepts a folder by drag and drop, or through a file dialog. */
export function DropZone({ onPicked }: { onPicked: (picked: PickedFolder) => void }) {
  const { isOver, handlers } = useDrop(async (dropped) => {
    const picked = await folderFromDrop(dropped);
    if (picked.files.length > 0) onPicked(picked);
  });
  const take = (files: FileList) => onPicked(folderFromInput(files));
  return (
    <section
      className={isOver ? `${styles.zone} ${styles.over}` : styles.zone}
      data-own-focus
      aria-label={text.drop}
      {...handlers}
    >
      <p className={styles.invitation}>{text.drop}</p>
      <div className="actions">
        <FileButton isMain isFolder label={text.chooseFolder} onPicked={take} />
        <FileButton label={text.chooseFiles} onPicked={take} />
      </div>
      <p className="detail">{text.dropDetail}</p>
    </section>
  );
}
