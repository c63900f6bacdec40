import type { ReactNode } from 'react';
import styles from './notice.module.css';

/** An empty list, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={styles.notice}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
