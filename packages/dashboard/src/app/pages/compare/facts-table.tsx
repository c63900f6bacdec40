import type { ReactNode } from 'react';
import { compareMessages } from '../../messages/compare.ts';
import styles from './compare.module.css';

/** A fact with what two sides say; undefined on a side that does not say it. */
export interface ComparedFact {
  name: string;
  values: readonly [string | undefined, string | undefined];
}

/** Facts of two sides in two columns. What differs is marked: where both say
 * something, or as a change if the second side came after the first. */
export function FactsTable({
  heads,
  facts,
  isChange = false,
}: {
  heads: readonly [ReactNode, ReactNode];
  facts: readonly ComparedFact[];
  isChange?: boolean;
}) {
  const text = compareMessages;
  return (
    <table className={styles.facts}>
      <thead>
        <tr>
          <th scope="col">{text.fact}</th>
          <th scope="col">{heads[0]}</th>
          <th scope="col">{heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        {facts.map(({ name, values: [one, other] }) => {
          const differs = one !== other && (isChange || (one !== undefined && other !== undefined));
          return (
            <tr key={name} className={differs && !isChange ? styles.differs : undefined}>
              <th scope="row">
                {name}
                {differs && !isChange && <span className="visually-hidden">, {text.differ}</span>}
              </th>
              <td className={isChange && differs ? styles.removed : undefined}>{one ?? text.none}</td>
              <td className={isChange && differs ? styles.added : undefined}>{other ?? text.none}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
