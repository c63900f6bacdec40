import type { SearchExplanation } from '@bindery/contract';
import { useId } from 'react';
import { messages } from '../messages.ts';
import styles from './why.module.css';

/** The service's explanation of a hit's rank: which words matched which fields, and how similar its meaning is. */
export function HitExplanation({ explanation, label }: { explanation: SearchExplanation; label: string }) {
  const id = useId();
  const text = messages.search;
  return (
    <>
      <button type="button" className={styles.button} popoverTarget={id} aria-label={label} title={text.why}>
        ?
      </button>
      <div id={id} popover="auto" className={styles.popover}>
        <h3 className={styles.heading}>{text.why}</h3>
        <ul className={styles.list}>
          {explanation.sentences?.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
    </>
  );
}
