import type { SearchExplanation } from '@bindery/contract';
import { useId } from 'react';
import { messages } from '../messages.ts';
import styles from './why.module.css';

/** Why a hit stands where it stands: which words met which fields, and how near its meaning is. */
export function Why({ explanation, label }: { explanation: SearchExplanation; label: string }) {
  const id = useId();
  const { terms, cosine } = explanation;
  const text = messages.search;
  return (
    <>
      <button type="button" className={styles.button} popoverTarget={id} aria-label={label} title={text.why}>
        ?
      </button>
      <div id={id} popover="auto" className={styles.popover}>
        <h3 className={styles.heading}>{text.why}</h3>
        <ul className={styles.list}>
          {terms.map(({ term, field, match, weight }) => (
            <li key={`${term} ${field}`}>
              {text.whyTerm(term, text.fields[field], match === 'exact')}
              <span className={styles.weight}>+{weight}</span>
            </li>
          ))}
          {cosine !== null && <li>{text.whyMeaning(cosine.toFixed(2))}</li>}
        </ul>
      </div>
    </>
  );
}
