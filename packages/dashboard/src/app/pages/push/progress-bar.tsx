import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import type { Progress } from '../../push/protocol.ts';
import styles from './push.module.css';

/** Progress of reading or sending, in bytes and files. */
export function ProgressBar({ label, progress }: { label: string; progress: Progress | null }) {
  const { bytes = 0, totalBytes = 0, files = 0, totalFiles = 0 } = progress ?? {};
  return (
    <div className={styles.progress}>
      <p role="status">{label}</p>
      <progress aria-label={label} {...(totalBytes > 0 && { value: bytes, max: totalBytes })} />
      {progress && (
        <p className={form.soft}>{messages.push.done({ bytes, totalBytes, files, totalFiles })}</p>
      )}
    </div>
  );
}
