import { messages } from '../messages.ts';
import { Modal } from '../parts/modal.tsx';
import styles from './palette.module.css';

/** The list of keyboard shortcuts. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal title={messages.keys.title} onClose={onClose}>
      <dl className={styles.keys}>
        {messages.keys.list.map(([key, meaning]) => (
          <div key={key} className={styles.line}>
            <dt>
              <kbd className={styles.key}>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
