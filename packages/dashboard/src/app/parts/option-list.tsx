import type { Ref } from 'react';
import styles from './option-list.module.css';

export interface Option {
  key: string;
  label: string;
  /** Tells it from others, beside its label. */
  place?: string;
  detail: string;
}

/** What the text in a field may mean. The field names the active one by its element id: `id` followed by its index. */
export function OptionList({
  ref,
  id,
  label,
  options,
  active,
  className,
  onTake,
}: {
  ref?: Ref<HTMLDivElement>;
  id: string;
  label: string;
  options: readonly Option[];
  active: number;
  className: string;
  onTake: (index: number) => void;
}) {
  return (
    <div
      ref={ref}
      id={`${id}list`}
      role="listbox"
      aria-label={label}
      className={className}
      hidden={options.length === 0}
    >
      {options.map(({ key, label, place, detail }, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
        // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field
        <div
          key={key}
          id={`${id}${index}`}
          role="option"
          aria-selected={index === active}
          className={styles.option}
          // Keeps the focus in the field, so that the list is still open when the click arrives.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <span className={styles.label}>
            {label}
            {place && <span className="detail"> {place}</span>}
          </span>
          <span className={`one-line small ${styles.detail}`}>{detail}</span>
        </div>
      ))}
    </div>
  );
}
