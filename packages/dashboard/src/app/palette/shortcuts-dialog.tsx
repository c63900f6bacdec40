import { useState } from 'react';
import { keysMessages } from '../messages/palette.ts';
import { Modal } from '../parts/modal.tsx';
import { hasSingleKeys, setSingleKeys } from './keys.ts';
import styles from './palette.module.css';

/** The list of keyboard shortcuts, and whether those without Ctrl are on. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys);
  return (
    <Modal title={keysMessages.title} onClose={onClose}>
      <dl className="stack">
        {keysMessages.list.map(([key, meaning]) => (
          <div key={key} className={styles.line}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label className="row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target: { checked } }) => {
            setSingleKeys(checked);
            setOn(checked);
          }}
        />
        {keysMessages.singleKeys}
      </label>
    </Modal>
  );
}
